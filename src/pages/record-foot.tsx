import { linkableAddress } from '../field-types/display/addresses.ts';
import { langWithin, PAGE_LANGUAGE } from '../field-types/display/language.ts';
import { Day } from '../field-types/readable.tsx';
import type { Link } from '../http/link-header.ts';
import { entityPath } from '../paths.ts';
import { firstText, type View } from './view.ts';

/** The dates of content, and links to it as data. */
export function RecordFoot({ view, links }: { view: View; links: readonly Link[] }) {
  const { content, members, root, language } = view;
  const created = firstText(members, content.kind.names.created);
  const changed = firstText(members, 'changed');
  const page = root + entityPath[content.kind.type](content.head.id);
  const linksets = links.filter(({ rel }) => rel === 'linkset');
  // Browsers show the JSON format and download the other one.
  const readable = linksets.find(({ type }) => type === 'application/linkset+json') ?? linksets[0];
  const linkset = linkableAddress(readable?.href);
  return (
    <footer class="record-foot">
      <dl>
        <Moment label="Added" moment={created} language={language} />
        <Moment label="Last changed" moment={changed} language={language} />
      </dl>
      <nav aria-label="This record as data" {...langWithin(PAGE_LANGUAGE, language)}>
        <ul>
          <li>
            <a href={`${page}?_format=json`}>JSON</a>
          </li>
          <li>
            <a href={`${page}?_format=jsonld`}>JSON-LD</a>
          </li>
          {linkset && (
            <li>
              <a href={linkset}>Linkset</a>
            </li>
          )}
        </ul>
      </nav>
    </footer>
  );
}

function Moment({ label, moment, language }: { label: string; moment: string | undefined; language: string }) {
  if (moment === undefined) return null;
  return (
    <div>
      <dt {...langWithin(PAGE_LANGUAGE, language)}>{label}</dt>
      <dd>
        <Day moment={moment} language={language} />
      </dd>
    </div>
  );
}
