module grsplat

go 1.26
