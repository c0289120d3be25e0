import { ServiceError } from '../../base/errors.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { nearest } from '../../base/nearest.ts';
import type { FieldTypes } from '../../field-types/field-type.ts';
import { parseItems } from '../../field-types/parse-items.ts';
import type { Bundle, EntityType, FieldDefinition, Item } from '../../model/content-model.ts';
import type { SubmittedValues } from '../../repository/content/fill/check-values.ts';
import { type ContentKind, definitionOf } from '../../repository/content/kinds.ts';
import { entityTarget } from '../../repository/content/referring-fields.ts';
import { isUuid } from './package-layout.ts';
import type { PackageProblem } from './package-problem.ts';

/** Maximum number of values of an entity. */
const MAX_VALUES = 10_000;

/** A reference to an entity that the repository does not have, or not yet. */
export interface MissingTarget {
  /** The position in the document: `field_subject.0`. */
  readonly at: string;
  readonly field: string;
  readonly type: EntityType;
  readonly uuid: string;
}

/** The fields of a document, as a client would submit them. */
interface DocumentValues {
  readonly values: SubmittedValues;
  /** The references that `values` lacks. */
  readonly missing: readonly MissingTarget[];
  readonly problems: readonly PackageProblem[];
}

/** Returns the bundle of a document, or a problem. */
export function bundleIn(kind: ContentKind, document: JsonObject): Bundle | PackageProblem {
  const items = Object.hasOwn(document, kind.bundleMember) ? document[kind.bundleMember] : undefined;
  const first = Array.isArray(items) ? items[0] : undefined;
  const name = typeof first === 'object' && first !== null && !Array.isArray(first) ? first.target_id : undefined;
  const path = `${kind.bundleMember}.0.target_id`;
  if (typeof name !== 'string') return { path, message: 'It must be the name of a bundle.' };
  const bundle = kind.bundles.get(name);
  if (bundle) return bundle;
  const guess = nearest(name, [...kind.bundles.keys()]);
  const hint = guess === undefined ? '' : ` Did you mean ${guess}?`;
  return { path, message: `The content model has no ${kind.type} bundle "${name.slice(0, 100)}".${hint}` };
}

/**
 * Returns the fields of a document without the facts that only its own repository sets. References are resolved by UUID,
 * never by id: `uuidOf` returns the UUID of the target in this repository, and `revisionOf` the id of its revision.
 */
export function documentValues(
  target: { readonly kind: ContentKind; readonly bundle: Bundle },
  types: FieldTypes,
  document: JsonObject,
  uuidOf: (type: EntityType, uuid: string) => string | undefined,
  revisionOf: (uuid: string, revision: unknown) => number | undefined = () => undefined,
): DocumentValues {
  const { kind, bundle } = target;
  const values = new Map<string, Item[]>();
  const missing: MissingTarget[] = [];
  const problems: PackageProblem[] = [];
  let count = 0;
  for (const [name, raw] of Object.entries(document)) {
    const definition = definitionOf(target, name);
    if (definition === undefined) {
      if (!isNothing(raw)) problems.push({ path: name, message: unknownField(name, kind, bundle) });
      continue;
    }
    const base = kind.baseFieldNamed.get(name);
    // Times, owner and ids are facts (`documentFacts`) and not fields.
    if (base && (base.write === undefined || name === kind.names.owner || name === kind.names.created)) continue;
    count += Array.isArray(raw) ? raw.length : 1;
    if (count > MAX_VALUES) {
      problems.push({ path: name, message: `The document has more than ${MAX_VALUES} values.` });
      break;
    }
    try {
      const type = entityTarget(definition);
      const translated =
        type === undefined ? raw : byUuid(definition, type, raw, { uuidOf, revisionOf }, missing, problems);
      const { portable } = types.of(definition);
      values.set(name, parseItems(translated, definition, types).map(portable));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      problems.push({ path: name, message: error.publicMessage });
    }
  }
  return { values, missing, problems };
}

interface ExistingTargets {
  readonly uuidOf: (type: EntityType, uuid: string) => string | undefined;
  readonly revisionOf: (uuid: string, revision: unknown) => number | undefined;
}

function byUuid(
  { name }: FieldDefinition,
  type: EntityType,
  raw: JsonValue,
  { uuidOf, revisionOf }: ExistingTargets,
  missing: MissingTarget[],
  problems: PackageProblem[],
): JsonValue {
  if (!Array.isArray(raw)) return raw;
  return raw.flatMap((item, delta): JsonValue[] => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return [item];
    const { target_id, target_uuid, target_type, target_revision_id: packed, url: _url, ...own } = item;
    // A root term has this item instead of a parent.
    if ((target_id === null || target_id === undefined) && target_uuid === undefined) return [];
    const at = `${name}.${delta}`;
    if (!isUuid(target_uuid)) {
      problems.push({
        path: at,
        message: 'target_uuid is missing or no UUID. An id of another repository cannot be resolved.',
      });
      return [];
    }
    if (target_type !== undefined && target_type !== type) {
      problems.push({ path: at, message: `It refers to a ${shown(target_type)}; it must refer to a ${type}.` });
      return [];
    }
    const uuid = uuidOf(type, target_uuid);
    const revision = revisionOf(target_uuid, packed);
    const ofRevision = revision === undefined ? {} : { target_revision_id: revision };
    if (uuid !== undefined) return [{ ...own, ...ofRevision, target_uuid: uuid }];
    missing.push({ at, field: name, type, uuid: target_uuid });
    return [];
  });
}

function shown(value: JsonValue): string {
  return typeof value === 'string' ? value.slice(0, 100) : typeof value;
}

function isNothing(raw: JsonValue | undefined): boolean {
  return raw === undefined || raw === null || (Array.isArray(raw) && raw.length === 0);
}

function unknownField(name: string, kind: ContentKind, bundle: Bundle): string {
  const guess = nearest(name, [...kind.baseFieldNamed.keys(), ...bundle.fieldNamed.keys()]);
  const hint = guess === undefined ? '' : ` Did you mean ${guess}?`;
  return `The bundle ${bundle.name} has no such field in this repository.${hint}`;
}
