/** Elements that run something, load a page into the page, change how it is read, or ask its reader for input. */
export const RUNNABLE_ELEMENTS: ReadonlySet<string> = new Set(
  `script style iframe frame frameset object embed applet param base link meta noscript template slot portal svg math
  form input button select option optgroup textarea dialog title head html body xmp plaintext noembed noframes`.split(
    /\s+/,
  ),
);

/** The elements of a format that names none: all that show something and cannot run. */
export const SAFE_ELEMENTS: readonly string[] =
  `a abbr acronym address article aside audio b bdi bdo big blockquote br caption center cite code col colgroup data dd
  del details dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main map area
  mark menu nav ol p picture pre q rp rt ruby s samp section small source span strike strong sub summary sup table tbody
  td tfoot th thead time tr track tt u ul var video wbr`.split(/\s+/);

/** Attributes that cannot run. A format may allow some of these, and no other. */
export const SAFE_ATTRIBUTES: ReadonlySet<string> = new Set(
  `abbr align alt aria-* bgcolor border cellpadding cellspacing cite class color colspan controls coords data-* datetime
  dir download face height href hreflang id kind label lang longdesc loop media muted name open poster preload rel
  reversed role rowspan scope shape sizes span src srclang srcset start style summary tabindex target title translate
  type usemap valign value width`.split(/\s+/),
);

/** Whether a style only lays text out: it fetches nothing, hides nothing behind escapes, and covers nothing of the page. */
export function mayStyle(style: string): boolean {
  return !/url|image|expression|import|behaviou?r|binding|position|z-index|\\|\/\*/i.test(style);
}
