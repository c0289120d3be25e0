import type { InStatement } from '@libsql/client';
import type { Bundle, FieldValues, MediaType } from '../../model/content-model.ts';
import type { Actor } from '../actor.ts';
import { retrying } from '../retrying.ts';
import { announceSource } from './announce-source.ts';
import type { Draft } from './base-field.ts';
import type { SubmittedValues } from './check-values.ts';
import { type Content, documentOf, identityOf, restOf } from './content.ts';
import type { ContentWrite } from './content-rows.ts';
import { type Decided, type DecidedValues, decideChange, decideNew } from './decide-content.ts';
import { fillFromSource } from './fill-from-source.ts';
import type { ContentKind } from './kinds.ts';
import { referringFields } from './referring-fields.ts';
import type { ResolveOptions } from './resolve-references.ts';
import type { Services } from './services.ts';
import type { Target } from './targets.ts';
import { updateContent } from './update-content.ts';

export interface SaveOptions extends ResolveOptions {
  /** Statements of the same transaction that come first, such as the row of a file that this refers to. */
  readonly before?: readonly InStatement[];
  /** Returns statements of the same transaction that come last, for what is created under this UUID. */
  readonly after?: (uuid: string) => ContentWrite['after'];
  /** The actions that created a derivative media. */
  readonly chain?: readonly string[];
  /** The reserved id of new content (`reserveIds`); default: the next one. */
  readonly id?: number;
}

/**
 * Creates content from the values that a client submitted. Throws `forbidden` for a field that the actor may not set and
 * `unprocessable` with every violation. Its targets exist at the moment of the commit.
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
  return retrying(forgetTerms(services), async () => {
    const decided = await decideNew(services, actor, kind, bundle, values, options);
    const jobs = await fillMedia(services, actor, decided, undefined, chain);
    const own = after?.(decided.draft.uuid) ?? [];
    return writeNew(services, decided, { id, before, newTargets, after: [...jobs, ...own] });
  });
}

interface UpdateOptions {
  /** Reads the content, once for each attempt. */
  readonly read: () => Promise<Content>;
  /** Throws if the actor may not change the content. Called for each attempt. */
  readonly check: (content: Content) => void;
}

/**
 * Changes the submitted values and keeps the others. If no value differs, nothing is saved. A change creates a new
 * revision, unless the bundle says otherwise. Throws as `createContent` does.
 */
export function changeContent(
  services: Services,
  actor: Actor,
  values: SubmittedValues,
  options: UpdateOptions,
): Promise<Content> {
  return retrying(forgetTerms(services), async () => {
    const content = await options.read();
    options.check(content);
    const decided = await decideChange(services, actor, content, values);
    if (decided === undefined) return content;
    const { stored } = decided;
    const after = await fillMedia(services, actor, decided, stored.values);
    return writeOver(services, content, stored.draft, decided, { after });
  });
}

/** Returns a function that forgets the remembered terms, which may be the reason why a write failed. */
export function forgetTerms({ terms }: Services): () => void {
  return () => terms.forget();
}

/** Fills a media from its source file. Returns the statements that queue its derivatives. */
async function fillMedia(
  services: Services,
  actor: Actor,
  decided: DecidedValues,
  former: FieldValues | undefined,
  chain: readonly string[] = [],
): Promise<InStatement[]> {
  const { kind, bundle, draft, values, targets } = decided;
  if (kind.type !== 'media') return [];
  const type = bundle as MediaType;
  await fillFromSource(services, type, draft, values, decided, former);
  return announceSource(services, actor, { uuid: draft.uuid, type, values, former, chain }, targets);
}

/** Additions to the transaction of a write. */
interface Along {
  /** Statements that come first. */
  readonly before?: readonly InStatement[] | undefined;
  /** Statements that come last, such as those that queue derivatives. */
  readonly after?: ContentWrite['after'] | undefined;
  /** Targets that `before` creates. */
  readonly newTargets?: readonly Target[] | undefined;
  /** The reserved id of new content. */
  readonly id?: number | undefined;
  /** True if a changed entity gets no new revision; default: its bundle decides. */
  readonly keepsRevision?: boolean | undefined;
}

/** Inserts decided content. Rejects with a failed guard if a target was deleted or changed since. */
export async function writeNew(services: Services, decided: Decided, along: Along = {}): Promise<Content> {
  const write = writeOf(decided, along);
  return saved(services, decided.bundle, write, await services.insert(write));
}

/** Writes decided content over the content that it was made from. Rejects with a failed guard if that has changed. */
export async function writeOver(
  services: Services,
  content: Content,
  alias: Pick<Draft, 'alias' | 'aliasId'>,
  decided: Decided,
  along: Along = {},
): Promise<Content> {
  const { keepsRevision = !content.bundle.newRevision } = along;
  const write = writeOf(decided, along);
  return saved(
    services,
    content.bundle,
    write,
    await updateContent(services.database, write, { content, alias, keepsRevision }),
  );
}

function writeOf({ kind, bundle, draft, values, targets }: Decided, along: Along): ContentWrite {
  const { id, before = [], after = [], newTargets = [] } = along;
  const files = referringFields(bundle)
    .filter(({ type }) => type === 'file')
    .flatMap(({ name }) => (values[name] ?? []).map((item) => Number(item.target_id)));
  // New files are permanent from the start.
  const fileIds = files.filter((file) => !newTargets.some((target) => target.type === 'file' && target.id === file));
  return { id, kind, draft, values, rest: restOf(kind, draft, values), fileIds, targets, before, after };
}

/** Returns content as it was just written, and wakes those who work on its derivatives. */
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
