import { describe, expect, it } from 'bun:test';
import { createTextProcessor } from '../../../src/field-types/text-format.ts';
import type { TextFormat } from '../../../src/model/text-format.ts';

function format(name: string, settings: Partial<TextFormat>): [string, TextFormat] {
  const plain = { escapesHtml: false, convertsLineBreaks: false, convertsUrls: false, allowedHtml: undefined };
  return [name, { name, label: name, ...plain, ...settings }];
}

const process = createTextProcessor(
  new Map([
    format('full_html', {}),
    format('plain_text', { escapesHtml: true, convertsLineBreaks: true, convertsUrls: true }),
    format('restricted_html', {
      allowedHtml: { a: ['href', 'hreflang'], em: [], p: [] },
      convertsLineBreaks: true,
      convertsUrls: true,
    }),
    format('careless', {
      allowedHtml: {
        script: ['src'],
        SVG: ['onload'],
        iframe: ['srcdoc', 'src'],
        img: ['src', 'srcset', 'onerror', 'style', 'data-align'],
        a: ['href', 'onclick', '*'],
      },
    }),
  ]),
  'plain_text',
);

describe('plain_text', () => {
  it.each([
    ['a <b> & "c"', '<p>a &lt;b&gt; &amp; &quot;c&quot;</p>'],
    ['a\nb\n\n\nc\r\nd', '<p>a<br />\nb</p>\n<p>c<br />\nd</p>'],
    ['see http://x.org/?a=1&b=2.', '<p>see <a href="http://x.org/?a=1&amp;b=2">http://x.org/?a=1&amp;b=2</a>.</p>'],
    ['"http://x.org"', '<p>&quot;<a href="http://x.org">http://x.org</a>&quot;</p>'],
    ['<http://x.org>', '<p>&lt;<a href="http://x.org">http://x.org</a>&gt;</p>'],
    ['(www.x.org)', '<p>(<a href="http://www.x.org">www.x.org</a>)</p>'],
    ['to a.b@x.org.', '<p>to <a href="mailto:a.b@x.org">a.b@x.org</a>.</p>'],
    ['javascript:alert(1)', '<p>javascript:alert(1)</p>'],
    ['http://', '<p>http://</p>'],
    ['', ''],
    [' \n ', ''],
  ])('shows %j as %s', (text, html) => {
    expect(process(text, 'plain_text')).toBe(html);
    expect(process(text, null)).toBe(html);
    expect(process(text, 'unknown')).toBe(html);
  });
});

describe('restricted_html', () => {
  it.each([
    ['<em>a</em> <b>b</b> <script>c</script>', '<p><em>a</em> b</p>'],
    ['<a href="http://x.org" class="k">http://x.org</a>', '<p><a href="http://x.org">http://x.org</a></p>'],
    ['<p>a</p>\n\nb', '<p>a</p>\n<p>b</p>'],
    ['<em>http://x.org</em>', '<p><em><a href="http://x.org">http://x.org</a></em></p>'],
    ['<em>a', '<p><em>a</em></p>'],
  ])('shows %j as %s', (text, html) => {
    expect(process(text, 'restricted_html')).toBe(html);
  });
});

describe('full_html', () => {
  it('keeps layout markup', () => {
    const html =
      '<h2 id="a" class="b" style="color:red">A</h2><table><tr><td colspan="2">x</td></tr></table><video src="/v.mp4" controls></video>';
    expect(process(html, 'full_html')).toBe(html);
  });

  it.each([
    'background:url(http://x.org)',
    'width:expression(alert(1))',
    'position:fixed;top:0',
    'c\\6flor:red',
    'behavior:x',
  ])('drops the style %s', (style) => {
    expect(process(`<p style="${style}">x</p>`, 'full_html')).toBe('<p>x</p>');
  });
});

describe('any format', () => {
  const ATTACKS = [
    '<script>alert(1)</script>',
    '<SCRIPT SRC=http://x.org/x.js></SCRIPT>',
    '<scr<script>ipt>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<img src="x"onerror="alert(1)">',
    '<img/src=x/onerror=alert(1)>',
    '<svg onload=alert(1)><script>alert(1)</script></svg>',
    '<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>',
    '<iframe srcdoc="<script>alert(1)</script>" src="javascript:alert(1)"></iframe>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="java\nscript:alert(1)">x</a>',
    '<a href="java&#x09;script:alert(1)">x</a>',
    '<a href="&#106;avascript:alert(1)">x</a>',
    '<a href=" \u0001javascript:alert(1)">x</a>',
    '<a href="data:text/html,<script>alert(1)</script>">x</a>',
    '<a href="vbscript:x">x</a>',
    '<a href="x" onclick="alert(1)" onfocus=alert(1) autofocus>x</a>',
    '<form action="javascript:alert(1)"><button formaction="javascript:alert(1)">x</button></form>',
    '<object data="javascript:alert(1)"></object><embed src="x">',
    '<base href="http://x.org/"><meta http-equiv="refresh" content="0;url=javascript:alert(1)"><link rel=import href=x>',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<!--><img src=x onerror=alert(1)>-->',
    '<style>@import "http://x.org"</style><p style="background:url(javascript:alert(1))">x</p>',
    '<video><source onerror="alert(1)"></video><details ontoggle=alert(1) open>',
    '<img srcset="javascript:alert(1) 1x">',
    '<x onclick=alert(1)>x</x>',
    '<template><script>alert(1)</script></template>',
    'http://x.org/"onmouseover="alert(1)',
    "http://x.org/'onmouseover='alert(1)",
    'http://x.org/<script>alert(1)</script>',
  ];

  it.each(
    ATTACKS.flatMap((text) => ['full_html', 'careless', 'restricted_html', 'plain_text'].map((name) => [text, name])),
  )('renders %j harmless in %s', (text, name) => {
    const shown = process(text ?? '', name ?? '');
    // Every tag that is left, as a browser would see it: text has no bare "<".
    const tags = shown.match(/<[^>]*>/g) ?? [];
    for (const tag of tags) {
      expect(tag).toMatch(/^<\/?[a-z][a-z0-9]*(?: [a-z-]+(?:="[^"<>]*")?)*(?: \/)?>$/);
      expect(tag).not.toMatch(
        /^<\/?(?:script|style|svg|math|iframe|object|embed|form|button|base|meta|link|template)\b/,
      );
      expect(tag.replace(/="[^"]*"/g, '=')).not.toMatch(/ (?:on[a-z]+|srcdoc|formaction|action|autofocus)\b/);
      expect(tag).not.toMatch(/(?:javascript|vbscript|data):/i);
    }
  });
});

describe('line breaks', () => {
  const lines = createTextProcessor(new Map([format('f', { convertsLineBreaks: true })]), 'f');

  it.each([
    ['a<br>\nb', '<p>a<br />\nb</p>'],
    ['<ul>\n<li>a</li>\n\n<li>b</li>\n</ul>', '<ul>\n<li>a</li>\n<li>b</li>\n</ul>'],
    ['a\n\n<pre>b\n\nc</pre>\n\nd\ne', '<p>a</p>\n<pre>b\n\nc</pre>\n<p>d<br />\ne</p>'],
    ['<strong>a</strong>\n\nb', '<p><strong>a</strong></p>\n<p>b</p>'],
    ['<pre>a', '<pre>a</pre>'],
  ])('shows %j as %j', (text, html) => {
    expect(lines(text, 'f')).toBe(html);
  });
});

it('createTextProcessor escapes markup if no format exists', () => {
  expect(createTextProcessor(new Map(), 'plain_text')('<b>', null)).toBe('&lt;b&gt;');
});
