import type { InStatement } from '@libsql/client';
import { failedGuard } from '../../database/errors.ts';
import type { Bundle, FieldValues, MediaType } from '../../model/content-model.ts';
import type { Actor } from '../actor.ts';
import { announceSource } from '../derivatives/announce-source.ts';
import { busyEntity } from '../errors.ts';
import { fillFromSource } from '../media/fill-from-source.ts';
import type { Services } from '../services.ts';
import type { Draft } from './base-field.ts';
import { checkTermUris } from './check-term-uris.ts';
import { type CheckedValues, type Current, checkValues, type SubmittedValues } from './check-values.ts';
import { type Content, completeFields, documentOf, identityOf, open, restOf } from './content.ts';
import { defaultValues } from './default-values.ts';
import type { ContentKind } from './kinds.ts';
import { newDraft } from './new-draft.ts';
import { referringFields } from './referring-fields.ts';
import type { ResolveOptions } from './resolve-references.ts';
import type { Targets } from './targets.ts';
import { type ContentWrite, type InsertContent, updateContent } from './write-content.ts';

/** How often a write that lost a race is tried again before its caller is told. */
const MAX_ATTEMPTS = 16;
/** Those who lost together would lose again together, all but one. */
const MAX_WAIT_MS = 100;

export interface SaveOptions extends ResolveOptions {
  /** Statements of the same transaction that come first, such as the row of a file that this refers to. */
  readonly before?: readonly InStatement[];
  /** Statements of the same transaction that come last, for what is made under this UUID. */
  readonly after?: (uuid: string) => readonly InStatement[];
  /** Of media that are derivatives: the actions that made them. */
  readonly chain?: readonly string[];
  /** The reserved id of new content (`reserveIds`); default: the next one. */
  readonly id?: number;
  /** Makes its row; left out: as the services do. */
  readonly insert?: InsertContent;
}

/**
 * Creates a node, media or term from what a client sent. Throws `forbidden` for a field that the actor may
 * not set and `unprocessable` with every violation. What it refers to exists at the moment of the commit.
 */
export function createContent(
  services: Services,
  actor: Actor,
  kind: ContentKind,
  bundle: Bundle,
  values: SubmittedValues,
  options: SaveOptions = {},
): Promise<Content> {
  const { id, before = [], newTargets = [], chain = [], insert = services.insert } = options;
  return retrying(forgetTerms(services), async () => {
    const draft = newDraft(services, actor, kind, bundle);
    const defaults = await defaultValues(services, bundle, values);
    const current: Current = { kind, bundle, draft, values: defaults, isNew: true };
    const checked = await checkValues(services, actor, current, values, options);
    const fields = applyTo(current, checked, defaults);
    if (kind.type === 'media') await fillFromSource(services, bundle as MediaType, draft, fields, checked, undefined);
    const media = { uuid: draft.uuid, type: bundle as MediaType, values: fields, former: undefined, chain };
    const jobs = kind.type === 'media' ? await announceSource(services, actor, media, checked.targets) : [];
    const write = {
      ...(id !== undefined && { id }),
      kind,
      draft,
      values: fields,
      rest: restOf(kind, draft, fields),
      // What comes with it is permanent from the start.
      fileIds: filesOf(bundle, fields).filter(
        (id) => !newTargets.some((target) => target.type === 'file' && target.id === id),
      ),
      targets: checked.targets,
      before,
      after: options.after ? [...jobs, ...options.after(draft.uuid)] : jobs,
    };
    const ids = await insert(write);
    if (jobs.length > 0) services.derivatives.wake();
    return saved(bundle, write, ids);
  });
}

export interface UpdateOptions {
  /** Reads the content anew: for the first try, and for each after someone else was faster. */
  readonly read: () => Promise<Content>;
  /** Whether the actor may change what was read; throws if not. Asked on each try. */
  readonly check: (content: Content) => void;
}

/**
 * Changes what a client sent and keeps the rest. A value that is as before changes nothing; if none
 * differs, nothing is saved. A change makes a new revision, unless the bundle says otherwise.
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
    const { kind, bundle } = content;
    const { draft: stored, values: storedValues } = open(content);
    const draft = nextDraft(services, actor, content, stored);
    const current: Current = { kind, bundle, draft: stored, values: storedValues, isNew: false };
    const checked = await checkValues(services, actor, current, values);
    if (checked.submitted.size === 0) return content;
    const fields = applyTo({ ...current, draft }, checked, storedValues);
    // Words that are the same as last time are words about this change too.
    if (values.get(kind.names.revisionLog)?.length) draft.revisionLog ??= stored.revisionLog;
    if (kind.type === 'media')
      await fillFromSource(services, bundle as MediaType, draft, fields, checked, storedValues);
    const whole = completeFields(bundle, fields);
    checkTermUris(services, actor, kind, storedValues, whole);
    const { targets } = checked;
    const media = { uuid: draft.uuid, type: bundle as MediaType, values: whole, former: storedValues };
    const after = kind.type === 'media' ? await announceSource(services, actor, media, targets) : [];
    return saveOver(services, content, stored, draft, whole, { after, targets });
  });
}

/** What goes along with a save in its transaction. */
export interface Along {
  /** Statements that come first. */
  readonly before?: readonly InStatement[];
  /** Statements that queue derivatives. */
  readonly after?: readonly InStatement[];
  readonly targets?: Targets;
}

/** Saves a draft over the content that it was made from, if that has not changed meanwhile. */
export async function saveOver(
  services: Services,
  content: Content,
  stored: Pick<Draft, 'alias' | 'aliasId'>,
  draft: Draft,
  values: FieldValues,
  { before = [], after = [], targets }: Along = {},
): Promise<Content> {
  const { kind, bundle } = content;
  const rest = restOf(kind, draft, values);
  const write = {
    kind,
    draft,
    values,
    rest,
    fileIds: filesOf(bundle, values),
    before,
    after,
    ...(targets && { targets }),
  };
  const replaced = { content, alias: stored, keepsRevision: !bundle.newRevision };
  const ids = await updateContent(services.database, write, replaced);
  if (after.length > 0) services.derivatives.wake();
  return saved(bundle, write, ids);
}

/** Content as its next version begins: same values, time and author of the change. */
export function nextDraft({ now }: Services, actor: Actor, { bundle }: Content, draft: Draft): Draft {
  const time = now();
  const next: Draft = {
    ...draft,
    base: { ...draft.base },
    changed: Math.max(time, draft.changed),
    version: draft.version + 1,
    layout: bundle.layout,
    isDangling: false,
  };
  if (!bundle.newRevision) return next;
  next.base.revisionUserUuid = actor.uuid;
  return { ...next, revisionCreated: time, revisionUserId: actor.id, revisionLog: null };
}

/** Content as it was just saved. */
function saved(bundle: Bundle, { kind, draft, values, rest }: ContentWrite, ids: Partial<Draft>): Content {
  const head = { ...draft, ...ids };
  // Of what the database gives, only the id of an alias stands in the rest.
  const isAsWritten = head.aliasId === draft.aliasId;
  const document = isAsWritten
    ? identityOf(kind, head.id, head.uuid, head.revisionId ?? 0) + rest
    : documentOf(kind, head, values);
  return { kind, bundle, head, document };
}

/** Puts checked values in their place: base fields into the draft, the others among the values. */
function applyTo({ kind, draft }: Current, { submitted }: CheckedValues, values: FieldValues): FieldValues {
  const changed = { ...values };
  for (const [name, { items }] of submitted) {
    const base = kind.baseFieldNamed.get(name);
    if (base) base.write?.(draft, items);
    else changed[name] = items;
  }
  return changed;
}

function filesOf(bundle: Bundle, values: FieldValues): number[] {
  return referringFields(bundle)
    .filter(({ type }) => type === 'file')
    .flatMap(({ name }) => (values[name] ?? []).map((item) => Number(item.target_id)));
}

/** What is remembered of terms may be the reason why a write failed. */
function forgetTerms({ terms }: Services): () => void {
  return () => terms.forget();
}

/**
 * Tries again what lost a race: a target that was deleted or an entity that was changed in between. `refresh`
 * runs before another try.
 */
export async function retrying<T>(refresh: (() => void) | undefined, attempt: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      const guard = failedGuard(error);
      // What is taken or lost stays so: that is for the caller to go about otherwise.
      if (guard === undefined || guard === 'guard_taken' || guard === 'guard_lost') throw error;
      if (count === MAX_ATTEMPTS) throw busyEntity(error);
      refresh?.();
      await Bun.sleep(Math.random() * Math.min(2 ** count, MAX_WAIT_MS));
    }
  }
}
