import { linkableAddress } from '../../field-types/display/addresses.ts';
import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import type { Link } from '../../http/link-header.ts';
import { entityPath, pathOf } from '../../paths.ts';
import { DataLinks } from '../record-foot.tsx';
import type { View } from '../view.ts';
import { CopyButton } from './copy-button.tsx';

/** The size of an embedded item in pixels. */
const FRAME = { width: 800, height: 600 };

interface Props {
  readonly view: View;
  readonly links: readonly Link[];
  /** True if the item has something to show, which other sites may embed. */
  readonly isShowable: boolean;
  /** True if IIIF describes the item as a collection. */
  readonly isCollection: boolean;
}

/** The permanent link of an item, the code that embeds it, and its representations for programs. */
export function Share({ view, links, isShowable, isCollection }: Props) {
  const { content, label, root, language, source } = view;
  const { id } = content.head;
  const path = entityPath.node(id);
  // A DOI or Handle stays when the site moves.
  const citeAs = links.find(({ rel }) => rel === 'cite-as')?.href;
  const permanent = linkableAddress(citeAs) ?? source.baseUrl + path;
  const lang = langWithin(PAGE_LANGUAGE, language);
  const isEmbeddable = isShowable && content.head.status;
  return (
    <>
      <section class="panel share" aria-labelledby="page-share" {...lang}>
        <h2 id="page-share">Share</h2>
        <p>
          <span class="aside">
            Permanent link <CopyButton copies="page-permanent" what="the permanent link" />
          </span>
          <a id="page-permanent" href={permanent}>
            {permanent}
          </a>
        </p>
        {isEmbeddable && (
          <details>
            <summary>Embed</summary>
            <p class="aside">
              <label for="page-embed">HTML for your page</label> <CopyButton copies="page-embed" what="the HTML" />
            </p>
            <textarea id="page-embed" readOnly rows={4} spellcheck={false}>
              {embedCode(source.baseUrl + pathOf('nodeEmbed', { node: id }), label)}
            </textarea>
          </details>
        )}
      </section>
      <nav class="panel data" aria-label="This record as data" {...lang}>
        <h2>For programs</h2>
        <DataLinks view={view} links={links}>
          {(isShowable || isCollection) && (
            <li>
              <a href={root + pathOf('nodeManifest', { node: id })}>IIIF {isCollection ? 'collection' : 'manifest'}</a>
            </li>
          )}
        </DataLinks>
      </nav>
    </>
  );
}

/** Returns the HTML that shows the item in a page of another site. */
function embedCode(address: string, title: string): string {
  const { width, height } = FRAME;
  return `<iframe src="${address}" width="${width}" height="${height}" title="${escaped(title)}" allowfullscreen></iframe>`;
}

/** Returns a text for an attribute. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
