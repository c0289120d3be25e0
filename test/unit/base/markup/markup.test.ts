import { describe, expect, it } from 'bun:test';
import { Fragment, h, jsx } from '../../../../src/base/markup/jsx-runtime.ts';
import { htmlOf, type Markups } from '../../../../src/base/markup/markup.ts';

const HOSTILE = '</p><script>alert("1") && \'2\'</script>';

describe('jsx', () => {
  it('escapes texts in elements and attributes', () => {
    expect(h('p', { title: HOSTILE }, HOSTILE).html).toBe(
      '<p title="&lt;/p>&lt;script>alert(&quot;1&quot;) &amp;&amp; \'2\'&lt;/script>">' +
        "&lt;/p>&lt;script>alert(&quot;1&quot;) &amp;&amp; '2'&lt;/script></p>",
    );
  });

  it('does not escape what it has rendered, nor marked HTML', () => {
    expect(h('p', null, h('b', null, 'a < b'), ' & c').html).toBe('<p><b>a &lt; b</b> &amp; c</p>');
    expect(h('div', { dangerouslySetInnerHTML: { __html: '<i>x</i>' } }).html).toBe('<div><i>x</i></div>');
  });

  it('renders numbers and lists in lists, and leaves out booleans and nothing', () => {
    expect(h('p', null, 0, [1, ['a', h('br', null)]], true, false, null, undefined, '').html).toBe('<p>01a<br/></p>');
  });

  it('writes attributes without a value by their name, and leaves out false ones', () => {
    const given = {
      hidden: true,
      open: false,
      alt: '',
      id: undefined,
      value: 0,
      readOnly: true,
      key: 'k',
      tabIndex: -1,
    };
    expect(h('input', given).html).toBe('<input hidden alt value="0" readonly tabindex="-1"/>');
  });

  it('writes true and false as words where these are values', () => {
    const given = {
      'aria-hidden': true,
      'aria-expanded': false,
      'data-sent': true,
      draggable: true,
      spellcheck: false,
    };
    expect(h('p', given).html).toBe(
      '<p aria-hidden="true" aria-expanded="false" data-sent="true" draggable="true" spellcheck="false"></p>',
    );
  });

  it('keeps the names of SVG, and leaves out names that would end the tag', () => {
    expect(h('svg', { viewBox: '0 0 1 1', 'a"b': 1, 'x onload': 1 }).html).toBe('<svg viewBox="0 0 1 1"></svg>');
  });

  it('renders components, which may return a text, a list or nothing', () => {
    const named = ({ name }: { readonly name: string }) => name;
    expect(jsx(named, { name: 'a & b' }).html).toBe('a &amp; b');
    expect(jsx(() => null, {}).html).toBe('');
    expect(jsx(Fragment, { children: ['a', jsx(named, { name: '<' })] }).html).toBe('a&lt;');
  });

  it('refuses objects as content', () => {
    expect(() => htmlOf({ html: '<script>' } as unknown as Markups)).toThrow('an object is no content of a page');
  });
});
