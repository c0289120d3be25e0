import type { ComponentChildren } from 'preact';
import { linkableAddress } from '../field-types/display/addresses.ts';
import { langWithin, PAGE_LANGUAGE } from '../field-types/display/language.ts';
import { Day } from '../field-types/readable.tsx';
import type { Link } from '../http/link-header.ts';
import { entityPath } from '../paths.ts';
import { firstText, type View } from './view.ts';

interface Props {
  readonly view: View;
  readonly links: readonly Link[];
}

/** The dates of content, and links to it as data. */
export function RecordFoot({ view, links }: Props) {
  return (
    <footer class="record-foot">
      <RecordDates view={view} />
      <nav aria-label="This record as data" {...langWithin(PAGE_LANGUAGE, view.language)}>
        <DataLinks view={view} links={links} />
      </nav>
    </footer>
  );
}

/** The dates of content, and the link to its history for callers who may view it. */
export function HistoryFoot({ view, links }: Props) {
  return (
    <footer class="record-foot">
      <RecordDates view={view} />
      <HistoryLink view={view} links={links} />
    </footer>
  );
}

/** A link to the history of content, for callers who may view it. */
function HistoryLink({ view, links }: Props) {
  const history = linkableAddress(links.find(({ rel }) => rel === 'version-history')?.href);
  if (history === undefined) return null;
  return (
    <p {...langWithin(PAGE_LANGUAGE, view.language)}>
      <a href={history}>History</a>
    </p>
  );
}

/** The links of `DataLinks` as a panel. */
export function DataPanel(props: Props) {
  return (
    <nav class="panel data" aria-label="This record as data" {...langWithin(PAGE_LANGUAGE, props.view.language)}>
      <h2>For programs</h2>
      <DataLinks {...props} />
    </nav>
  );
}

/** The dates of content in the repository. */
export function RecordDates({ view: { content, members, language } }: { view: View }) {
  return (
    <dl>
      <Moment label="Added" moment={firstText(members, content.kind.names.created)} language={language} />
      <Moment label="Last changed" moment={firstText(members, 'changed')} language={language} />
    </dl>
  );
}

/** Links to content as data. `children` are further ones, which follow JSON-LD. */
export function DataLinks({ view, links, children }: Props & { children?: ComponentChildren }) {
  const { content, root } = view;
  const page = root + entityPath[content.kind.type](content.head.id);
  const linksets = links.filter(({ rel }) => rel === 'linkset');
  // Browsers show the JSON format and download the other one.
  const readable = linksets.find(({ type }) => type === 'application/linkset+json') ?? linksets[0];
  const linkset = linkableAddress(readable?.href);
  return (
    <ul>
      <li>
        <a href={`${page}?_format=json`}>JSON</a>
      </li>
      <li>
        <a href={`${page}?_format=jsonld`}>JSON-LD</a>
      </li>
      {children}
      {linkset && (
        <li>
          <a href={linkset}>Linkset</a>
        </li>
      )}
    </ul>
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
