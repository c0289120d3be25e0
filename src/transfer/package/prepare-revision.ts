import { ServiceError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { parseItems } from '../../field-types/parse-items.ts';
import { completeItems, validateField } from '../../field-types/validate-field.ts';
import type { Item } from '../../model/content-model.ts';
import { type Draft, define } from '../../repository/content/base-field.ts';
import { completeFields } from '../../repository/content/content.ts';
import { reference } from '../../repository/content/fill/resolve-references.ts';
import type { Target, Targets } from '../../repository/content/fill/targets.ts';
import type { ContentKind } from '../../repository/content/kinds.ts';
import type { Services } from '../../repository/content/services.ts';
import { type ContentPlan, decideNew } from '../../repository/content/write/decide-content.ts';
import { validationFailed } from '../../repository/errors.ts';
import { genericIcon } from '../../repository/files/generic-icon.ts';
import type { LoadContext } from '../table/table-options.ts';
import { documentFacts, firstValue, sizeIn } from './document-facts.ts';
import { bundleIn, documentValues } from './document-values.ts';
import type { ExistingEntities } from './existing.ts';
import { type PackageProblem, PackageRefused } from './package-problem.ts';

/** The repository that a revision is checked against. */
interface Surroundings {
  readonly existing: ExistingEntities;
  /** Targets that the same transaction creates, or stand-ins for a check. */
  readonly newTargets: readonly Target[];
  /** True for a superseded revision, which keeps the image sizes of its document. */
  readonly isFormer: boolean;
}

/**
 * Decides a revision from a document of a package as if a client had submitted it: validates fields, filters texts, and
 * resolves references to entities of this repository. Throws PackageRefused.
 */
export async function prepareRevision(
  { services, actor }: LoadContext,
  kind: ContentKind,
  document: JsonObject,
  { existing, newTargets, isFormer }: Surroundings,
): Promise<ContentPlan> {
  const bundle = bundleIn(kind, document);
  if ('message' in bundle) throw new PackageRefused(bundle);
  const isNew = new Map(newTargets.map((target) => [`${target.type} ${target.uuid}`, target.uuid]));
  const { values, problems } = documentValues(
    { kind, bundle },
    services.fields.types,
    document,
    (type, uuid) => isNew.get(`${type} ${uuid}`) ?? existing.get(type, uuid)?.uuid,
    (uuid, revision) => existing.revision(uuid, revision),
  );
  const facts = documentFacts(kind, document);
  if (Array.isArray(facts)) throw new PackageRefused(...problems, ...facts);
  if (problems.length > 0) throw new PackageRefused(...problems);
  try {
    // An incomplete node exists already, with its paragraphs.
    const id = existing.get(kind.type, String(firstValue(document, 'uuid')))?.id;
    const host = { type: kind.type, id, hosts: [] };
    // A media may refer to targets of any bundle, as an upload to a node may.
    const options = { newTargets, anyBundle: kind.type === 'media', isRestored: true, host };
    const decided = await decideNew(services, actor, kind, bundle, values, options);
    const { draft, targets, submitted } = decided;
    const fields = { ...decided.values };
    if (isFormer)
      for (const name of submitted.keys())
        if (fields[name]) fields[name] = fields[name].map((item, delta) => withMeasures(item, document[name], delta));
    if (kind.type === 'media') draft.base.thumbnail = await thumbnailItems(services, document, targets, isFormer);
    setFacts(draft, facts, existing, actor);
    return { kind, bundle, draft, values: completeFields(bundle, fields), targets };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.kind !== 'unprocessable' && error.kind !== 'forbidden') throw error;
    throw new PackageRefused(...asProblems(error.publicMessage));
  }
}

function setFacts(
  draft: Draft,
  facts: Exclude<ReturnType<typeof documentFacts>, PackageProblem[]>,
  existing: ExistingEntities,
  actor: { readonly id: number; readonly uuid: string },
): void {
  const { created, changed, revisionCreated, owner, revisionUser } = facts;
  const userOf = (uuid: string | undefined) => (uuid && existing.get('user', uuid)) || actor;
  Object.assign(draft, { created, changed, revisionCreated });
  draft.ownerId = userOf(owner).id;
  draft.base.ownerUuid = userOf(owner).uuid;
  draft.revisionUserId = revisionUser === undefined ? null : userOf(revisionUser).id;
  if (revisionUser === undefined) delete draft.base.revisionUserUuid;
  else draft.base.revisionUserUuid = userOf(revisionUser).uuid;
}

/** Returns an item with the image size of its document. */
function withMeasures(item: Item, raw: JsonObject[string] | undefined, delta: number): Item {
  const then = Array.isArray(raw) ? raw[delta] : undefined;
  if (!('width' in item) || typeof then !== 'object' || then === null || Array.isArray(then)) return item;
  return { ...item, width: sizeIn(then.width), height: sizeIn(then.height) };
}

/** Returns the problems of a validation message, which has one per line: `title.0.value: This value …`. */
export function asProblems(message: string): PackageProblem[] {
  const lines = message.split('\n').filter((line) => line !== '' && !line.startsWith('Unprocessable Entity: '));
  return lines.map((line) => {
    const [, path, rest] = /^([\w.]+): (.*)$/.exec(line) ?? [];
    return path === undefined || rest === undefined ? { path: '', message: line } : { path, message: rest };
  });
}

const THUMBNAIL = define('thumbnail', 'Thumbnail', 'image', { targetType: 'file' });
const ICON_SIZE = { width: 180, height: 180 };

/**
 * Returns the thumbnail of a media: its own file if `targets` has it, and otherwise the generic icon of this repository.
 * Throws `unprocessable` for invalid texts of the thumbnail.
 */
async function thumbnailItems(
  services: Services,
  document: JsonObject,
  targets: Targets,
  isFormer: boolean,
): Promise<Item[]> {
  const raw = document.thumbnail ?? [];
  const [item] = parseItems(raw, THUMBNAIL, services.fields.types);
  if (item === undefined) return [];
  const violations = validateField([item], THUMBNAIL, services.fields);
  if (violations.length > 0) throw validationFailed(violations);
  const target = typeof item.target_uuid === 'string' ? targets.get('file', item.target_uuid) : undefined;
  const icon = target === undefined ? await genericIcon(services) : undefined;
  if (target === undefined && icon === undefined) return [];
  const whole =
    target === undefined
      ? { ...item, ...icon, ...ICON_SIZE }
      : reference(services.fields.types.of(THUMBNAIL), item, target);
  const [complete = {}] = completeItems([whole], THUMBNAIL, services.fields);
  const then = Array.isArray(raw) ? raw[0] : undefined;
  if (!isFormer || target === undefined || typeof then !== 'object' || then === null || Array.isArray(then))
    return [complete];
  return [{ ...complete, width: sizeIn(then.width), height: sizeIn(then.height) }];
}
