import { wholeWebAddress } from '../../field-types/display/addresses.ts';
import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import type { Link } from '../../http/link-header.ts';
import { pathOf } from '../../paths.ts';
import { describeContent } from '../description/description.ts';
import { CopyButton } from '../item/copy-button.tsx';
import type { View } from '../view.ts';
import { apa } from './apa.ts';
import { chicago } from './chicago.ts';
import { type CitedWork, citedWork } from './cited-work.ts';
import { mla } from './mla.ts';
import type { Run } from './runs.ts';

interface CitationStyle {
  readonly name: string;
  readonly cite: (work: CitedWork) => Run[];
}

/** The style that the page shows at once. */
const FIRST_STYLE: CitationStyle = { name: 'APA', cite: apa };
const OTHER_STYLES: readonly CitationStyle[] = [
  { name: 'Chicago', cite: chicago },
  { name: 'MLA', cite: mla },
];
const DOWNLOADS = [
  { style: 'bibtex', name: 'BibTeX' },
  { style: 'ris', name: 'RIS' },
  { style: 'csl-json', name: 'CSL-JSON' },
] as const;

/** The citation of a node, and one click away those in other styles and its entries for reference managers. */
export function CiteThis({ view, links }: { view: View; links: readonly Link[] }) {
  const { content, source, root, language } = view;
  const { id } = content.head;
  const work = citedWork(describeContent(view, links), source.siteName, `node-${id}`);
  return (
    <section class="panel cite" aria-labelledby="page-cite" {...langWithin(PAGE_LANGUAGE, language)}>
      <h2 id="page-cite">Cite this</h2>
      <Citations styles={[FIRST_STYLE]} work={work} language={language} />
      <details>
        <summary>Other styles and formats</summary>
        <Citations styles={OTHER_STYLES} work={work} language={language} />
        <p class="reference-managers">
          For reference managers:{' '}
          {DOWNLOADS.map(({ style, name }, at) => (
            <>
              {at > 0 && ', '}
              <a href={`${root}${pathOf('nodeCite', { node: id })}?style=${style}`} download>
                {name}
              </a>
            </>
          ))}
        </p>
      </details>
    </section>
  );
}

interface CitationsProps {
  readonly styles: readonly CitationStyle[];
  readonly work: CitedWork;
  readonly language: string;
}

function Citations({ styles, work, language }: CitationsProps) {
  return (
    <dl class="citations">
      {styles.map(({ name, cite }) => (
        <div key={name}>
          <dt>
            {name} <CopyButton copies={`page-cite-${name}`} what={`the ${name} citation`} />
          </dt>
          <dd id={`page-cite-${name}`} {...langWithin(language, PAGE_LANGUAGE)}>
            <Citation runs={cite(work)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A citation. Each part keeps its own direction, so that punctuation stays in place beside right-to-left text. */
export function Citation({ runs }: { runs: readonly Run[] }) {
  return runs.map(({ text, isItalic, isAddress }, at) => {
    if (isItalic)
      return (
        <cite key={at}>
          <bdi>{text}</bdi>
        </cite>
      );
    if (!isAddress) return /\p{Script=Hebrew}|\p{Script=Arabic}/u.test(text) ? <bdi key={at}>{text}</bdi> : text;
    const href = wholeWebAddress(text);
    return href === undefined ? (
      text
    ) : (
      <a key={at} href={href}>
        {text}
      </a>
    );
  });
}
