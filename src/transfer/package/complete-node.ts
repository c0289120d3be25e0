import { open } from '../../repository/content/content.ts';
import { rewriteFormerRevisions } from '../../repository/content/former-revisions.ts';
import { forgetTerms, writeOver } from '../../repository/content/save-content.ts';
import { retrying } from '../../repository/retrying.ts';
import type { LoadContext } from '../table/table-options.ts';
import { FIRST_VERSION, noteComplete } from './incomplete.ts';
import type { Here, Known } from './known-here.ts';
import { readContent } from './read-content.ts';
import type { PackedEntity } from './read-package.ts';
import { adoptFormer, prepareAll } from './restore-entity.ts';

/**
 * Writes a node that was created without some of its references again, in the same revisions, with the references that
 * exist by now. Returns false for a node that was changed meanwhile, which stays as it is. Throws PackageRefused.
 */
export function completeNode(context: LoadContext, node: PackedEntity, known: Known, here: Here): Promise<boolean> {
  const { services, kinds } = context;
  return retrying(forgetTerms(services), async () => {
    const [content] = await readContent(context, 'node', [known.id]);
    if (content === undefined || content.head.version !== FIRST_VERSION) {
      await services.database.write([noteComplete(known.uuid)]);
      return false;
    }
    const prepared = await prepareAll(context, node, [], here);
    const stored = open(content).draft;
    const { id, revisionId, alias, aliasId } = stored;
    const draft = { ...prepared.current.draft, id, revisionId, alias, aliasId, version: FIRST_VERSION + 1 };
    const after = [
      ...rewriteFormerRevisions(kinds.node, id, prepared.former),
      ...adoptFormer(prepared),
      noteComplete(known.uuid),
    ];
    await writeOver(services, content, stored, { ...prepared.current, draft }, { after, keepsRevision: true });
    return true;
  });
}
