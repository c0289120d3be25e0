import type { Content } from '../../repository/content/content.ts';
import type { Services } from '../../repository/content/services.ts';
import { findRevision, listRevisions } from '../../repository/revisions/revisions.ts';
import { contentFingerprint } from '../table/content-fingerprint.ts';

/** The number of newest revisions among which an exported state is looked for. */
const MAX_REVISIONS = 50;

/** Returns content as of the revision with a fingerprint; undefined if none of the newest fifty has it. */
export async function findExported(
  services: Services,
  content: Content,
  fingerprint: string,
): Promise<Content | undefined> {
  const page = { limit: MAX_REVISIONS, offset: 0 };
  for (const { id } of await listRevisions(services, content.kind, content.head.id, page)) {
    const revision = await findRevision(services, content, id);
    if (revision !== undefined && contentFingerprint(revision) === fingerprint) return revision;
  }
  return undefined;
}
