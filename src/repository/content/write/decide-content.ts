import { ServiceError } from '../../../base/errors.ts';
import type { FieldTypes } from '../../../field-types/field-type.ts';
import { parseItems } from '../../../field-types/parse-items.ts';
import { completeItems } from '../../../field-types/validate-field.ts';
import type { Bundle, FieldValues, Item, NodeType } from '../../../model/content-model.ts';
import { termUriAccess } from '../../access.ts';
import type { Actor } from '../../actor.ts';
import type { BaseValues, Draft } from '../base-field.ts';
import { type Content, completeFields, type OpenContent, open } from '../content.ts';
import { type CheckedValues, type CurrentContent, checkValues, type SubmittedValues } from '../fill/check-values.ts';
import {
  allowsBundle,
  type ResolveOptions,
  reference,
  resolveConfig,
  type SubmittedField,
  wantedBy,
} from '../fill/resolve-references.ts';
import { findTargets, type Targets } from '../fill/targets.ts';
import type { ContentKind } from '../kinds.ts';
import { entityTarget } from '../referring-fields.ts';
import type { Services } from '../services.ts';
import { uriRows } from './reference-statements.ts';
import { requireChangeableCopy } from './require-changeable-copy.ts';

/** Content to write. */
export interface ContentPlan {
  readonly kind: ContentKind;
  readonly bundle: Bundle;
  readonly draft: Draft;
  /** The configured fields. */
  readonly values: FieldValues;
  /** The resolved references; terms must have the same version at the commit. */
  readonly targets?: Targets;
}

/** Content to write, from submitted values. */
export type CheckedPlan = ContentPlan & CheckedValues;

/** A change, with the stored values. */
interface ChangePlan extends CheckedPlan {
  readonly stored: OpenContent;
}

/** Decides new content: its defaults, overridden by the checked values. Throws as `checkValues` does. */
export async function decideNew(
  services: Services,
  actor: Actor,
  kind: ContentKind,
  bundle: Bundle,
  values: SubmittedValues,
  options: ResolveOptions,
): Promise<CheckedPlan> {
  const draft = newDraft(services, actor, kind, bundle);
  const defaults = await defaultValues(services, bundle, values);
  const current: CurrentContent = { kind, bundle, draft, values: defaults, isNew: true };
  const checked = await checkValues(services, actor, current, values, options);
  return { kind, bundle, draft, values: withSubmitted(kind, draft, defaults, checked), ...checked };
}

/** Decides a change; undefined if no submitted value differs. Throws as `checkValues` and `checkTermUris` do. */
export async function decideChange(
  services: Services,
  actor: Actor,
  content: Content,
  values: SubmittedValues,
  options: ResolveOptions = {},
): Promise<ChangePlan | undefined> {
  const { kind, bundle } = content;
  const stored = open(content);
  const current: CurrentContent = { kind, bundle, draft: stored.draft, values: stored.values, isNew: false };
  const checked = await checkValues(services, actor, current, values, options);
  if (checked.submitted.size === 0) return undefined;
  const draft = nextDraft(services, actor, content, stored.draft);
  const changed = withSubmitted(kind, draft, stored.values, checked);
  // A repeated log message describes this change too.
  if (values.get(kind.names.revisionLog)?.length) draft.revisionLog ??= stored.draft.revisionLog;
  checkTermUris(services, actor, kind, stored.values, changed);
  if (kind.type === 'media')
    await requireChangeableCopy(services.search.uses, actor, content.head.belongsTo, stored.values, changed);
  return { kind, bundle, draft, values: completeFields(bundle, changed), stored, ...checked };
}

/** Returns the draft of the next version: the same values, with time and author of the change. */
export function nextDraft(services: Services, actor: Actor, content: Content, draft: Draft): Draft {
  const next = nextVersion(services, content, draft);
  if (!content.bundle.newRevision) return next;
  next.base.revisionUserUuid = actor.uuid;
  return { ...next, revisionCreated: services.now(), revisionUserId: actor.id, revisionLog: null };
}

/** Returns the draft of the next version of the same revision. */
export function nextVersion({ now }: Pick<Services, 'now'>, { bundle }: Content, draft: Draft): Draft {
  return {
    ...draft,
    base: { ...draft.base },
    changed: Math.max(now(), draft.changed),
    version: draft.version + 1,
    layout: bundle.layout,
    isDangling: false,
  };
}

/** Returns an entity without submitted values (spec: rest-behaviour, 4 "POST defaults"). */
function newDraft({ model, now }: Services, actor: Actor, kind: ContentKind, bundle: Bundle): Draft {
  const time = now();
  const base: BaseValues = { ownerUuid: actor.uuid, revisionUserUuid: actor.uuid };
  if (kind.type === 'node') Object.assign(base, { promote: (bundle as NodeType).promote, sticky: false });
  return {
    id: 0,
    uuid: Bun.randomUUIDv7(),
    revisionId: 0,
    bundle: bundle.name,
    langcode: model.defaultLanguage,
    label: '',
    ownerId: actor.id,
    status: true,
    created: time,
    changed: time,
    revisionCreated: time,
    revisionUserId: actor.id,
    revisionLog: null,
    version: 1,
    layout: bundle.layout,
    isDangling: false,
    accessSet: 0,
    aliasId: null,
    alias: null,
    base,
  };
}

/** Puts submitted base fields into the draft, and returns the values with the other submitted fields. */
function withSubmitted(
  { baseFieldNamed }: ContentKind,
  draft: Draft,
  values: FieldValues,
  { submitted }: CheckedValues,
): FieldValues {
  const changed = { ...values };
  for (const [name, { items }] of submitted) {
    const base = baseFieldNamed.get(name);
    if (base) base.write?.(draft, items);
    else changed[name] = items;
  }
  return changed;
}

/** Throws `forbidden` if a term gains or loses a URI of the configuration and the actor lacks the permission. */
function checkTermUris(
  { configuredUris }: Pick<Services, 'configuredUris'>,
  actor: Actor,
  kind: ContentKind,
  before: FieldValues,
  after: FieldValues,
): void {
  const [lost, gained] = [urisOf(kind, before), urisOf(kind, after)];
  const access = termUriAccess(actor, lost.symmetricDifference(gained), configuredUris);
  if (!access.isAllowed) throw new ServiceError('forbidden', access.reason);
}

function urisOf(kind: ContentKind, values: FieldValues): Set<string> {
  return new Set(uriRows(kind, values).map(([, , uri]) => uri));
}

/**
 * Returns the defaults of the configured fields that were not submitted. Skips references to deleted entities.
 * References are the model's, so the actor need not be able to view their targets.
 */
async function defaultValues(services: Services, bundle: Bundle, submitted: SubmittedValues): Promise<FieldValues> {
  const fields = bundle.fields
    .filter(({ name, defaultValue }) => defaultValue.length > 0 && !submitted.has(name))
    .map((definition): SubmittedField => {
      return {
        definition,
        items: parseItems([...definition.defaultValue], definition, services.fields.types),
        stored: [],
      };
    });
  const referring = fields.filter(({ definition }) => entityTarget(definition) !== undefined);
  for (const field of fields) resolveConfig(services.model, field, new Map());
  if (referring.length > 0) {
    const targets = await findTargets(services.database, wantedBy(referring), services.terms);
    for (const field of referring) field.items = referencesTo(targets, field, services.fields.types);
  }
  const values: FieldValues = {};
  for (const { definition, items } of fields)
    if (items.length > 0) values[definition.name] = completeItems(items, definition, services.fields);
  return values;
}

/** Returns the references of a field to existing targets. */
function referencesTo(targets: Targets, { definition, items }: SubmittedField, types: FieldTypes): Item[] {
  return items.flatMap((item) => {
    const { target_id, target_uuid } = item;
    const named = typeof target_uuid === 'string' ? target_uuid.toLowerCase() : Number(target_id);
    const target = targets.get(entityTarget(definition) ?? 'node', named);
    const isFitting = target !== undefined && allowsBundle(definition.targetBundles, target);
    return isFitting ? [reference(types.of(definition), item, target)] : [];
  });
}
