import { entityPath, revisionsPath } from '../../paths.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { PageSource } from '../../web/site.ts';
import { Descriptions, Details, shownFields } from '../fields.tsx';
import { viewOf } from '../view.ts';
import { historyPage } from './history-page.tsx';
import { RestoreButton, RestoreFields } from './restore.tsx';
import type { RestoreForm, RevisionContent } from './revision-data.ts';
import { Changes, RevisionTime, RevisionUser, timeInWords } from './revision-words.tsx';

/** Returns the page of content as of a revision. */
export function revisionPage(
  { revision, content, around }: RevisionContent,
  restore: RestoreForm | undefined,
  source: PageSource,
): HtmlPage {
  const view = viewOf(content, around, source);
  const { root, label, language } = view;
  const type = content.kind.type === 'media' ? 'media' : 'node';
  const { id } = content.head;
  const history = root + revisionsPath(type, id);
  const fields = shownFields(view);
  return historyPage({
    view,
    title: `${label}, revision of ${timeInWords(revision.created)}`,
    heading: (
      <>
        <p class="kind">
          Revision of <RevisionTime revision={revision} /> by <RevisionUser revision={revision} root={root} />
        </p>
        <h1 dir="auto" lang={language}>
          {label}
        </h1>
        <p>
          {revision.isCurrent ? (
            <strong class="mark">This is the current revision</strong>
          ) : (
            <strong class="mark">This is an earlier revision</strong>
          )}
        </p>
        {revision.log !== undefined && <p dir="auto">{revision.log}</p>}
        {restore && revision.restoring && (
          <>
            <RestoreFields form={restore} />
            <p>
              <Changes revision={revision} /> <RestoreButton revision={revision} address={history} />
            </p>
          </>
        )}
        <ul class="history-links">
          <li>
            <a href={root + entityPath[type](id)}>Current revision</a>
          </li>
          {!revision.isCurrent && (
            <li>
              <a href={`${history}?left=${revision.id}`}>Compare with the current revision</a>
            </li>
          )}
          <li>
            <a href={history}>All revisions</a>
          </li>
        </ul>
      </>
    ),
    children: (
      <div class="record" lang={language}>
        <Descriptions fields={fields} view={view} />
        <Details fields={fields} view={view} />
      </div>
    ),
  });
}
