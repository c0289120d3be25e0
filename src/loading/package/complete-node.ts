import { open, restOf } from '../../repository/content/content.ts';
import { rewriteFormerRevisions } from '../../repository/content/former-revisions.ts';
import { retrying } from '../../repository/content/save-content.ts';
import { updateContent } from '../../repository/content/write-content.ts';
import type { LoadContext } from '../table/table-options.ts';
import { FIRST_VERSION, noteComplete } from './incomplete.ts';
import type { Here, Known } from './known-here.ts';
import type { PackageProblem } from './package-problem.ts';
import { readContent } from './read-content.ts';
import type { PackedEntity } from './read-package.ts';
import { adoptFormer, prepareAll } from './restore-entity.ts';

/**
 * Writes a node that was made without some of its references once more, in the same revisions, with those that are here by
 * now. Answers what is wrong instead, if anything is; undefined for one that someone has changed in the meantime, which
 * stays as it is.
 */
export function completeNode(
  context: LoadContext,
  node: PackedEntity,
  known: Known,
  here: Here,
): Promise<readonly PackageProblem[] | undefined> {
  const { services, kinds } = context;
  return retrying(
    () => services.terms.forget(),
    async () => {
      const [content] = await readContent(context, 'node', [known.id]);
      if (content === undefined || content.head.version !== FIRST_VERSION) {
        await services.database.write([noteComplete(known.uuid)]);
        return undefined;
      }
      const prepared = await prepareAll(context, node, [], here);
      if ('problems' in prepared) return prepared.problems;
      const { former, current } = prepared;
      const stored = open(content).draft;
      const { id, revisionId, alias, aliasId } = stored;
      const draft = { ...current.draft, id, revisionId, alias, aliasId, version: FIRST_VERSION + 1 };
      const { values, targets } = current;
      const write = {
        kind: kinds.node,
        draft,
        values,
        rest: restOf(kinds.node, draft, values),
        fileIds: [],
        targets,
        before: [],
        after: [
          ...rewriteFormerRevisions(kinds.node, id, former),
          ...adoptFormer(kinds.node, prepared),
          noteComplete(known.uuid),
        ],
      };
      await updateContent(services.database, write, { content, alias: stored, keepsRevision: true });
      return [];
    },
  );
}
