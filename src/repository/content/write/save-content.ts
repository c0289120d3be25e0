import type { InStatement } from '@libsql/client';
import type { Bundle, FieldValues, MediaType } from '../../../model/content-model.ts';
import type { Actor } from '../../actor.ts';
import { retrying } from '../../retrying.ts';
import { writePending } from '../../search-index/write-pending.ts';
import type { Draft } from '../base-field.ts';
import { type Content, documentOf, identityOf, restOf } from '../content.ts';
import type { SubmittedValues } from '../fill/check-values.ts';
import { fillFromSource } from '../fill/fill-from-source.ts';
import type { ResolveOptions } from '../fill/resolve-references.ts';
import type { Target } from '../fill/targets.ts';
import type { ContentKind } from '../kinds.ts';
import { referringFields } from '../referring-fields.ts';
import type { Services } from '../services.ts';
import { announceSource, NO_CHANGE, type SourceChange } from './announce-source.ts';
import type { ContentWrite, Placement } from './content-rows.ts';
import { type CheckedPlan, type ContentPlan, decideChange, decideNew } from './decide-content.ts';
import { placementFor, placing } from './decide-placement.ts';
import { type Indexing, indexChanged, indexNew } from './index-content.ts';
import { noticesOf, settleOutdated } from './outdated.ts';
import { updateContent } from './update-content.ts';

export interface SaveOptions extends ResolveOptions {
  /** The first statements of the transaction, such as one that inserts a referenced file. */
  readonly before?: readonly InStatement[];
  /** Returns the last statements of the transaction, for the UUID of the new content. */
  readonly after?: (uuid: string) => ContentWrite['after'];
  /** The actions that created a derivative media. */
  readonly chain?: readonly string[];
  /** The reserved id of new content (`reserveIds`); default: the next one. */
  readonly id?: number;
}

/**
 * Creates content from submitted values. Throws `forbidden` for a field that the actor may not set and `unprocessable`
 * with every violation. Its targets exist at the commit.
 */
export function createContent(
  services: Services,
  actor: Actor,
  kind: ContentKind,
  bundle: Bundle,
  values: SubmittedValues,
  options: SaveOptions = {},
): Promise<Content> {
  const { id, before, newTargets, chain, after } = options;
  return retrying(clearTerms(services), async () => {
    const decided = await decideNew(services, actor, kind, bundle, values, options);
    await fillMedia(services, decided, undefined);
    const { statements: jobs } = await announceMedia(services, actor, decided, undefined, chain);
    const own = after?.(decided.draft.uuid) ?? [];
    return writeNew(services, decided, { id, before, newTargets, after: [...jobs, ...own] });
  });
}

export interface UpdateOptions extends Pick<ResolveOptions, 'newTargets'> {
  /** Reads the content, once for each attempt. */
  readonly read: () => Promise<Content>;
  /** Throws if the actor may not change the content. Called for each attempt. */
  readonly check: (content: Content) => void;
  /** Returns the last statements of the transaction. Called for each attempt that changes something. */
  readonly after?: (content: Content, decided: ContentPlan) => readonly InStatement[];
  /** The first statements of the transaction. Nothing runs if no value differs. */
  readonly before?: readonly InStatement[];
  /** The actions that created the source of a derivative media. */
  readonly chain?: readonly string[];
  /** Called after the commit with each sentence for the person who changes the content. */
  readonly note?: ((notice: string) => void) | undefined;
}

/**
 * Changes the submitted values, or those that a function returns for the content as it was read. Saves nothing if no value
 * differs. Creates a revision if the bundle requires it. Throws as `createContent` does.
 */
export function changeContent(
  services: Services,
  actor: Actor,
  values: SubmittedValues | ((content: Content) => SubmittedValues),
  options: UpdateOptions,
): Promise<Content> {
  return retrying(clearTerms(services), async () => {
    const content = await options.read();
    options.check(content);
    const { before, newTargets = [], chain = [], note } = options;
    const submitted = typeof values === 'function' ? values(content) : values;
    const isOfProgram = chain.length > 0;
    const decided = await decideChange(services, actor, content, submitted, { newTargets, isOfProgram });
    if (decided === undefined) return content;
    const { stored } = decided;
    const keepsText = await fillMedia(services, decided, stored.values);
    const { statements, outdated } = await announceMedia(services, actor, decided, stored.values, chain);
    const after = [...statements, ...(options.after?.(content, decided) ?? [])];
    const written = await writeOver(services, content, stored.draft, decided, { before, newTargets, after });
    await settleOutdated(services, outdated);
    for (const notice of noticesOf(written, keepsText, outdated)) note?.(notice);
    return written;
  });
}

/** Returns a function that clears the cached terms, which may have made a write fail. */
export function clearTerms({ terms }: Services): () => void {
  return () => terms.clear();
}

/**
 * Fills a media from its source file. `previous` are its stored values; undefined for a new one. Returns true if it keeps an
 * edited text of another file.
 */
export async function fillMedia(
  services: Services,
  decided: CheckedPlan,
  previous: FieldValues | undefined,
): Promise<boolean> {
  const { kind, bundle, draft, values } = decided;
  return kind.type === 'media' && fillFromSource(services, bundle as MediaType, draft, values, decided, previous);
}

/** Returns the statements that queue the derivatives of a media, and those that withdraw the previous ones. */
async function announceMedia(
  services: Services,
  actor: Actor,
  { kind, bundle, draft, values, targets }: CheckedPlan,
  previous: FieldValues | undefined,
  chain: readonly string[] = [],
): Promise<SourceChange> {
  if (kind.type !== 'media') return NO_CHANGE;
  return announceSource(
    services,
    actor,
    { id: previous && draft.id, uuid: draft.uuid, type: bundle as MediaType, values, previous, chain },
    targets,
  );
}

/** Additions to the transaction of a write. */
interface WriteAdditions {
  /** The first statements. */
  readonly before?: readonly InStatement[] | undefined;
  /** The last statements, such as those that queue derivatives. */
  readonly after?: ContentWrite['after'] | undefined;
  /** Targets that `before` creates. */
  readonly newTargets?: readonly Target[] | undefined;
  /** The reserved id of new content. */
  readonly id?: number | undefined;
  /** True if a changed entity gets no new revision; default: its bundle decides. */
  readonly keepsRevision?: boolean | undefined;
}

/** Inserts decided content. Rejects with a failed guard if a target was deleted or changed since. */
export async function writeNew(services: Services, decided: ContentPlan, along: WriteAdditions = {}): Promise<Content> {
  return placing(services, 0, async () => {
    const indexing = await indexNew(services, decided);
    const write = writeOf(decided, indexing, placementFor(services, decided), along);
    return saved(services, decided.bundle, write, await services.insert(write));
  });
}

/** Replaces content with decided content. Rejects with a failed guard if it has changed meanwhile. */
export async function writeOver(
  services: Services,
  content: Content,
  alias: Pick<Draft, 'alias' | 'aliasId'>,
  decided: ContentPlan,
  along: WriteAdditions = {},
): Promise<Content> {
  const { keepsRevision = !content.bundle.newRevision } = along;
  const { write, ids } = await placing(services, content.head.id, async () => {
    const indexing = await indexChanged(services, content, decided);
    const write = writeOf(decided, indexing, placementFor(services, decided, content), along);
    return { write, ids: await updateContent(services.database, write, { content, alias, keepsRevision }) };
  });
  if (write.kind.type === 'taxonomy_term' && write.indexing.length > 0) await writePending(services);
  return saved(services, content.bundle, write, ids);
}

function writeOf(
  { kind, bundle, draft, values }: ContentPlan,
  { targets, entry, statements: indexing = [] }: Indexing,
  placement: Placement | undefined,
  along: WriteAdditions,
): ContentWrite {
  const { id, before = [], after = [], newTargets = [] } = along;
  const files = referringFields(bundle)
    .filter(({ type }) => type === 'file')
    .flatMap(({ name }) => (values[name] ?? []).map((item) => Number(item.target_id)));
  // New files are permanent from the start.
  const fileIds = files.filter((file) => !newTargets.some((target) => target.type === 'file' && target.id === file));
  const rest = restOf(kind, draft, values);
  return { id, kind, draft, values, rest, fileIds, targets, before, after, entry, placement, indexing };
}

/** Returns content as written, and wakes the dispatcher of derivatives. */
function saved(services: Services, bundle: Bundle, write: ContentWrite, ids: Partial<Draft>): Content {
  const { kind, draft, values, rest, after } = write;
  if (after.length > 0) services.derivatives.wake();
  const head = { ...draft, ...ids };
  // Only the id of an alias is part of the rest.
  const isAsWritten = head.aliasId === draft.aliasId;
  const document = isAsWritten
    ? identityOf(kind, head.id, head.uuid, head.revisionId ?? 0) + rest
    : documentOf(kind, head, values);
  return { kind, bundle, head, document };
}
