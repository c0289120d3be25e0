import { revisionsPath } from '../../paths.ts';
import { NO_SURROUNDINGS } from '../../repository/content/read/surroundings.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { PageSource } from '../../web/site.ts';
import { DataTable } from '../data-table.tsx';
import { type View, viewOf } from '../view.ts';
import { historyPage } from './history-page.tsx';
import { RestoreButton, RestoreFields } from './restore.tsx';
import type { RevisionEntry, RevisionList } from './revision-data.ts';
import { Changes, RevisionTime, RevisionUser, timeInWords } from './revision-words.tsx';

/** Returns the page with the history of content: each revision with its time, user and message. */
export function revisionsPage(
  { content, revisions, page, pages, restore }: RevisionList,
  source: PageSource,
): HtmlPage {
  const view = viewOf(content, NO_SURROUNDINGS, source);
  const address = addressOf(view);
  const isComparable = revisions.filter(({ isReadable }) => isReadable).length > 1;
  const table = <RevisionTable view={view} revisions={revisions} isComparable={isComparable} />;
  return historyPage({
    view,
    title: `Revisions of ${view.label}`,
    heading: (
      <>
        <p class="kind">History</p>
        <h1>
          Revisions of <bdi lang={view.language}>{view.label}</bdi>
        </h1>
      </>
    ),
    children: (
      <>
        {isComparable ? (
          <form action={address} method="get">
            {table}
            <p>
              <button class="button" type="submit">
                Compare the selected revisions
              </button>
            </p>
          </form>
        ) : (
          table
        )}
        {restore && <RestoreFields form={restore} />}
        {pages > 1 && <Pages page={page} pages={pages} address={address} />}
      </>
    ),
  });
}

function addressOf({ root, content: { kind, head } }: View): string {
  return root + revisionsPath(kind.type === 'media' ? 'media' : 'node', head.id);
}

interface TableProps {
  readonly view: View;
  readonly revisions: readonly RevisionEntry[];
  readonly isComparable: boolean;
}

function RevisionTable({ view, revisions, isComparable }: TableProps) {
  return (
    <DataTable
      label="Revisions"
      class="revisions"
      heads={[...(isComparable ? ['Earlier', 'Later'] : []), 'When', 'Who', 'Message']}
    >
      {revisions.map((revision, at) => (
        <tr key={revision.id} class={revision.isCurrent ? 'current' : undefined}>
          {isComparable && (
            <>
              <Choice name="left" revision={revision} isChosen={at === 1} />
              <Choice name="right" revision={revision} isChosen={at === 0} />
            </>
          )}
          <td>
            {revision.isReadable ? (
              <a href={`${addressOf(view)}/${revision.id}/view`}>
                <RevisionTime revision={revision} />
              </a>
            ) : (
              <RevisionTime revision={revision} />
            )}
            {revision.isCurrent && <strong class="mark">Current</strong>}
            <Changes revision={revision} />
            <RestoreButton revision={revision} address={addressOf(view)} />
          </td>
          <td>
            <RevisionUser revision={revision} root={view.root} />
          </td>
          <td dir="auto">{revision.log ?? <span class="aside">{messageWithout(revision)}</span>}</td>
        </tr>
      ))}
    </DataTable>
  );
}

const messageWithout = ({ isReadable }: RevisionEntry) =>
  isReadable ? 'No message' : 'You may not view this revision';

interface ChoiceProps {
  readonly name: 'left' | 'right';
  readonly revision: RevisionEntry;
  readonly isChosen: boolean;
}

function Choice({ name, revision, isChosen }: ChoiceProps) {
  const side = name === 'left' ? 'Earlier' : 'Later';
  return (
    <td class="choice">
      {revision.isReadable && (
        <input
          type="radio"
          name={name}
          value={revision.id}
          checked={isChosen}
          aria-label={`${side}: ${timeInWords(revision.created)}`}
        />
      )}
    </td>
  );
}

function Pages({ page, pages, address }: { page: number; pages: number; address: string }) {
  return (
    <nav class="history-pages" aria-label="Pages of the history">
      {page > 0 && (
        <a rel="prev" href={`${address}?page=${Math.min(page, pages) - 1}`}>
          Later revisions
        </a>
      )}
      <span>
        Page {page + 1} of {pages}
      </span>
      {page < pages - 1 && (
        <a rel="next" href={`${address}?page=${page + 1}`}>
          Earlier revisions
        </a>
      )}
    </nav>
  );
}
