package parquet

import (
	"errors"
	"io"

	pq "github.com/parquet-go/parquet-go"

	"grsplat/render/catalog/table"
)

// cursor reads one column chunk value by value.
type cursor struct {
	pages  pq.Pages
	page   pq.Page
	plain  []float64      // what is left of a page of doubles without nulls and dictionary
	values pq.ValueReader // what is left of any other page
	left   int64          // values left in the page
	buf    [512]pq.Value
}

func (c *cursor) close() {
	c.release()
	c.pages.Close()
}

func (c *cursor) release() {
	if c.page != nil {
		pq.Release(c.page)
		c.page = nil
	}
}

// read appends n values to want k of b.
func (c *cursor) read(n int, kind table.Kind, k int, b *table.Block) error {
	for done := 0; done < n; {
		for c.left == 0 {
			if err := c.nextPage(kind); err != nil {
				return err
			}
		}
		step := int(min(int64(n-done), c.left))
		if c.plain != nil {
			b.Num[k] = append(b.Num[k], c.plain[:step]...)
			c.plain = c.plain[step:]
		} else {
			got, err := c.values.ReadValues(c.buf[:min(step, len(c.buf))])
			if got == 0 {
				return ended(err)
			}
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			for i := range c.buf[:got] {
				c.add(&c.buf[i], kind, k, done+i, b)
			}
			step = got
		}
		done += step
		c.left -= int64(step)
	}
	return nil
}

func (c *cursor) nextPage(kind table.Kind) error {
	c.release()
	page, err := c.pages.ReadPage()
	if err != nil {
		return err
	}
	c.page, c.left, c.plain, c.values = page, page.NumValues(), nil, nil
	if page.Type().Kind() == pq.Double && page.Dictionary() == nil && page.DefinitionLevels() == nil && kind != table.Text {
		data := page.Data()
		c.plain = data.Double()
		if int64(len(c.plain)) == c.left {
			return nil
		}
		c.plain = nil
	}
	c.values = page.Values()
	return nil
}

// add appends one value.
func (c *cursor) add(v *pq.Value, kind table.Kind, k, row int, b *table.Block) {
	if kind == table.Text {
		text := []byte(nil)
		if !v.IsNull() && v.Kind() == pq.ByteArray {
			text = append(text, v.ByteArray()...)
		}
		b.Text[k] = append(b.Text[k], text)
		return
	}
	x, ok := number(v, kind)
	if !ok {
		b.Fault[row] = table.Unparsable
	}
	b.Num[k] = append(b.Num[k], x)
}

// number turns a value into float64; text is parsed as in a text table.
func number(v *pq.Value, kind table.Kind) (float64, bool) {
	if v.IsNull() {
		return table.Missing(), true
	}
	switch v.Kind() {
	case pq.Double:
		return v.Double(), true
	case pq.Float:
		return float64(v.Float()), true
	case pq.Int64:
		return float64(v.Int64()), true
	case pq.Int32:
		return float64(v.Int32()), true
	case pq.Boolean:
		if v.Boolean() {
			return 1, true
		}
		return 0, true
	case pq.ByteArray:
		return table.Parse(v.ByteArray(), kind)
	}
	return table.Missing(), false
}
