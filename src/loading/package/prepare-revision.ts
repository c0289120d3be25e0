import { ServiceError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { FieldValues, Item } from '../../model/content-model.ts';
import type { Draft } from '../../repository/content/base-field.ts';
import { type Current, checkValues } from '../../repository/content/check-values.ts';
import { completeFields } from '../../repository/content/content.ts';
import { defaultValues } from '../../repository/content/default-values.ts';
import type { ContentKind } from '../../repository/content/kinds.ts';
import { newDraft } from '../../repository/content/new-draft.ts';
import type { Target, Targets } from '../../repository/content/targets.ts';
import type { LoadContext } from '../table/table-options.ts';
import { documentFacts } from './document-facts.ts';
import { firstValue, sizeIn } from './document-members.ts';
import { bundleIn, documentValues, type MissingTarget } from './document-values.ts';
import type { Here } from './known-here.ts';
import type { PackageProblem } from './package-problem.ts';
import { thumbnailItems } from './thumbnail-items.ts';

/** A revision as it can be written. */
export interface PreparedRevision {
  readonly draft: Draft;
  readonly values: FieldValues;
  readonly targets: Targets;
  /** References that were left out: their targets are not here, or not yet. */
  readonly missing: readonly MissingTarget[];
}

/** Against what a revision is checked. */
export interface Surroundings {
  readonly here: Here;
  /** What the same transaction makes, or what is only pretended to be there. */
  readonly newTargets: readonly Target[];
  /** Whether it was superseded: what was measured then is no longer to be found in its file. */
  readonly isFormer: boolean;
}

/**
 * Checks a document of a package as if a client had sent it, and makes of it what is written: fields through their own
 * validation, texts through their filters, references as they are here. Answers what is wrong instead, if anything is.
 */
export async function prepareRevision(
  context: LoadContext,
  kind: ContentKind,
  document: JsonObject,
  surroundings: Surroundings,
): Promise<PreparedRevision | PackageProblem[]> {
  const { services, actor } = context;
  const { here, newTargets, isFormer } = surroundings;
  const bundle = bundleIn(kind, document);
  if ('message' in bundle) return [bundle];
  const isNew = new Map(newTargets.map((target) => [`${target.type} ${target.uuid}`, target.uuid]));
  const { values, missing, problems } = documentValues(
    { kind, bundle },
    document,
    (type, uuid) => isNew.get(`${type} ${uuid}`) ?? here.get(type, uuid)?.uuid,
    (uuid, revision) => here.revision(uuid, revision),
  );
  const facts = documentFacts(kind, document);
  if (Array.isArray(facts)) return [...problems, ...facts];
  if (problems.length > 0) return [...problems];
  const draft = newDraft(services, actor, kind, bundle);
  const defaults = await defaultValues(services, bundle, values);
  const current: Current = { kind, bundle, draft, values: defaults, isNew: true };
  try {
    // A media may refer to what no form offers: so it may when it is put to its node.
    // What lacks references that were still to come is here already, with the paragraphs that it has.
    const id = here.get(kind.type, String(firstValue(document, 'uuid')))?.id;
    const host = { type: kind.type, id, hosts: [] };
    const options = { newTargets, anyBundle: kind.type === 'media', host };
    const { submitted, targets } = await checkValues(services, actor, current, values, options);
    const fields = { ...defaults };
    for (const [name, { items }] of submitted) {
      const base = kind.baseFieldNamed.get(name);
      if (base) base.write?.(draft, items);
      else fields[name] = isFormer ? items.map((item, delta) => withMeasures(item, document[name], delta)) : items;
    }
    const whole = completeFields(bundle, fields);
    if (kind.type === 'media') draft.base.thumbnail = await thumbnailItems(services, document, targets, isFormer);
    setFacts(draft, facts, here, actor);
    return { draft, values: whole, targets, missing };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.kind !== 'unprocessable' && error.kind !== 'forbidden') throw error;
    return asProblems(error.publicMessage);
  }
}

function setFacts(
  draft: Draft,
  facts: Exclude<ReturnType<typeof documentFacts>, PackageProblem[]>,
  here: Here,
  actor: { readonly id: number; readonly uuid: string },
): void {
  const { created, changed, revisionCreated, owner, revisionUser } = facts;
  const userOf = (uuid: string | undefined) => (uuid && here.get('user', uuid)) || actor;
  Object.assign(draft, { created, changed, revisionCreated });
  draft.ownerId = userOf(owner).id;
  draft.base.ownerUuid = userOf(owner).uuid;
  draft.revisionUserId = revisionUser === undefined ? null : userOf(revisionUser).id;
  if (revisionUser === undefined) delete draft.base.revisionUserUuid;
  else draft.base.revisionUserUuid = userOf(revisionUser).uuid;
}

/** The size of an image as it was at the time. */
function withMeasures(item: Item, raw: JsonObject[string] | undefined, delta: number): Item {
  const then = Array.isArray(raw) ? raw[delta] : undefined;
  if (!('width' in item) || typeof then !== 'object' || then === null || Array.isArray(then)) return item;
  return { ...item, width: sizeIn(then.width), height: sizeIn(then.height) };
}

/** The violations in a refusal, one on each line: `title.0.value: This value …`. */
export function asProblems(message: string): PackageProblem[] {
  const lines = message.split('\n').filter((line) => line !== '' && !line.startsWith('Unprocessable Entity: '));
  return lines.map((line) => {
    const [, path, rest] = /^([\w.]+): (.*)$/.exec(line) ?? [];
    return path === undefined || rest === undefined ? { path: '', message: line } : { path, message: rest };
  });
}
