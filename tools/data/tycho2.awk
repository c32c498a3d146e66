# Turns Tycho-2 records (CDS I/259: tyc2.dat, then suppl_1.dat) into CSV: ra_deg,dec_deg,bt_mag,vt_mag,hip,src.
# Positions are ICRS at J2000: a main record without mean position (flag X) gives the observed one of about J1991, a supplement's is
# moved from J1991.25 by its proper motion. src is the main record's flag (P, X), or T, H, S for the supplement: H where
# vt_mag is Hipparcos Hp (flag H in column 82), S for its other Hipparcos stars.
BEGIN { FS = "|"; print "ra_deg,dec_deg,bt_mag,vt_mag,hip,src" }
function trim(s) { gsub(/^ +| +$/, "", s); return s }
function row(ra, dec, bt, vt, hip, src) { printf "%.6f,%.6f,%s,%s,%s,%s\n", ra, dec, trim(bt), trim(vt), hip + 0 ? hip + 0 : "", trim(src) }
NF > 28 { x = $2 == "X"; row(x ? $25 : $3, x ? $26 : $4, $18, $20, substr($24, 1, 6), $2); next }
{ t = 8.75 / 3.6e6; d = $4 + $6 * t; row($3 + $5 * t / cos($4 * 3.14159265358979 / 180), d, $12, $14, substr($18, 1, 6), $2 == "H" && $11 != "H" ? "S" : $2) }
