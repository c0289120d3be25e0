import type { InStatement } from '@libsql/client';
import { failedUniqueness, isOutcomeUnknown } from '../../database/errors.ts';
import type { FieldValues } from '../../model/content-model.ts';
import { adoptParagraphs } from '../../repository/content/adopt-paragraphs.ts';
import { restOf } from '../../repository/content/content.ts';
import { foldLabel } from '../../repository/content/fold-label.ts';
import { formerRevisions } from '../../repository/content/former-revisions.ts';
import { referenceRows } from '../../repository/content/index-rows.ts';
import type { ContentKind } from '../../repository/content/kinds.ts';
import { retrying } from '../../repository/content/save-content.ts';
import { insertContent } from '../../repository/content/write-content.ts';
import type { LoadContext } from '../table/table-options.ts';
import { noteIncomplete } from './incomplete.ts';
import type { Here, Known } from './known-here.ts';
import type { PackageProblem } from './package-problem.ts';
import { type PreparedRevision, prepareRevision } from './prepare-revision.ts';
import type { PackedEntity } from './read-package.ts';
import { type NamedFile, nameFiles, type StagedFile } from './stage-file.ts';

const MAX_ATTEMPTS = 20;

/** What an entity became here, or what is wrong with it. */
export type Restored = Known | readonly PackageProblem[];

/**
 * Writes an entity of a package with its revisions and its files in one transaction, all or nothing. References that have
 * no target here are left out. Throws what the database throws, also where someone else was faster with the same.
 */
export async function restoreEntity(
  context: LoadContext,
  entity: PackedEntity,
  staged: readonly StagedFile[],
  here: Here,
  isIncomplete: boolean,
): Promise<Restored> {
  let restored: Restored;
  try {
    restored = await withFreeUris(context, staged, here, (files) =>
      retrying(
        () => context.services.terms.forget(),
        () => write(context, entity, files, here, isIncomplete),
      ),
    );
  } catch (error) {
    // Nothing happens to bytes that a row may name by now.
    if (!isOutcomeUnknown(error)) for (const { ingested } of staged) await ingested.staged.discard();
    throw error;
  }
  for (const { ingested } of staged) await (isRefused(restored) ? ingested.staged.discard() : ingested.staged.keep());
  return restored;
}

/** Whether an entity was not written. */
export function isRefused(restored: Restored): restored is readonly PackageProblem[] {
  return Array.isArray(restored);
}

async function write(
  context: LoadContext,
  entity: PackedEntity,
  files: readonly NamedFile[],
  here: Here,
  isIncomplete: boolean,
): Promise<Restored> {
  const kind = context.kinds[entity.type];
  const prepared = await prepareAll(context, entity, files, here);
  if ('problems' in prepared) return prepared.problems;
  const { draft, values, targets } = prepared.current;
  const { uuid, bundle } = draft;
  const { id } = await insertContent(context.services.database, {
    kind,
    draft,
    values,
    rest: restOf(kind, draft, values),
    fileIds: filesIn(values),
    targets,
    before: [
      ...(entity.type === 'taxonomy_term' ? [unlessNamed(bundle, draft.label, here)] : []),
      ...files.flatMap(({ statements }) => statements),
      ...formerRevisions(kind, prepared.former),
    ],
    after: [...adoptFormer(kind, prepared), ...(isIncomplete ? [noteIncomplete(uuid)] : [])],
  });
  return { type: entity.type, id, uuid, bundle, sha256: undefined };
}

/** Paragraphs that only an earlier revision refers to belong to the entity as well. */
export function adoptFormer(kind: ContentKind, { former, current }: PreparedEntity): InStatement[] {
  const rows = former.flatMap(({ draft, values }) => referenceRows(kind, draft, values));
  const present = new Set(referenceRows(kind, current.draft, current.values).map(([, , type, id]) => `${type} ${id}`));
  const left = rows.filter(([, , type, id]) => !present.has(`${type} ${id}`));
  return adoptParagraphs(kind, current.draft, left);
}

/** Files that are here already become permanent by being referred to. */
function filesIn(values: FieldValues): number[] {
  const items = Object.values(values).flat();
  return items.filter(({ target_type }) => target_type === 'file').map(({ target_id }) => Number(target_id));
}

/** The revisions of an entity as they can be written. */
export interface PreparedEntity {
  readonly former: readonly PreparedRevision[];
  readonly current: PreparedRevision;
}

/** The revisions of an entity as they can be written, or what is wrong with them. */
export async function prepareAll(
  context: LoadContext,
  { type, path, revisions }: PackedEntity,
  files: readonly NamedFile[],
  here: Here,
): Promise<PreparedEntity | { problems: PackageProblem[] }> {
  const newTargets = files.map(({ target }) => target);
  const prepared: PreparedRevision[] = [];
  for (const [index, document] of revisions.entries()) {
    const isFormer = index < revisions.length - 1;
    const revision = await prepareRevision(context, context.kinds[type], document, { here, newTargets, isFormer });
    if (!('draft' in revision)) return { problems: revision.map((problem) => within(path, problem)) };
    prepared.push(revision);
  }
  return { former: prepared.slice(0, -1), current: prepared[prepared.length - 1] as PreparedRevision };
}

/** A problem with the file that it is in. */
export function within(file: string, { path, message }: PackageProblem): PackageProblem {
  return { path: path === '' ? file : `${file} ${path}`, message };
}

/** Fails where a term of that name has come since it was looked for: it may be the one that is meant. */
function unlessNamed(vocabulary: string, name: string, { termsUntil }: Here): InStatement {
  return {
    sql: 'INSERT INTO guard (taken) SELECT 1 FROM taxonomy_term WHERE bundle = ? AND folded_label = ? AND id > ? LIMIT 1',
    args: [vocabulary, foldLabel(name), termsUntil],
  };
}

async function withFreeUris(
  context: LoadContext,
  staged: readonly StagedFile[],
  here: Here,
  save: (files: readonly NamedFile[]) => Promise<Restored>,
): Promise<Restored> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await save(await nameFiles(context, staged, here, attempt));
    } catch (error) {
      if (failedUniqueness(error) !== 'file.uri' || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
