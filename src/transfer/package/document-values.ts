import { ServiceError } from '../../base/errors.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { nearest } from '../../base/nearest.ts';
import type { FieldTypes } from '../../field-types/field-type.ts';
import { parseItems } from '../../field-types/parse-items.ts';
import type { Bundle, EntityType, FieldDefinition, Item } from '../../model/content-model.ts';
import { definitionOf, type SubmittedValues } from '../../repository/content/check-values.ts';
import type { ContentKind } from '../../repository/content/kinds.ts';
import { entityTarget } from '../../repository/content/referring-fields.ts';
import { isUuid } from './package-layout.ts';
import type { PackageProblem } from './package-problem.ts';

/** More than any entity has. */
const MAX_VALUES = 10_000;

/** A reference to what is not here, or not yet. */
export interface MissingTarget {
  /** Within the document: `field_member_of.0`. */
  readonly at: string;
  readonly field: string;
  readonly type: EntityType;
  readonly uuid: string;
}

/** The fields of a document, as a client of this repository would send them. */
export interface DocumentValues {
  readonly values: SubmittedValues;
  /** Left out of the values. */
  readonly missing: readonly MissingTarget[];
  readonly problems: readonly PackageProblem[];
}

/** The bundle that a document names, or why there is none. */
export function bundleIn(kind: ContentKind, document: JsonObject): Bundle | PackageProblem {
  const items = Object.hasOwn(document, kind.bundleMember) ? document[kind.bundleMember] : undefined;
  const first = Array.isArray(items) ? items[0] : undefined;
  const name = typeof first === 'object' && first !== null && !Array.isArray(first) ? first.target_id : undefined;
  const path = `${kind.bundleMember}.0.target_id`;
  if (typeof name !== 'string') return { path, message: 'It must name what kind of content this is.' };
  const bundle = kind.bundles.get(name);
  if (bundle) return bundle;
  const guess = nearest(name, [...kind.bundles.keys()]);
  const hint = guess === undefined ? '' : `; the nearest is ${guess}`;
  return { path, message: `The content model has no ${kind.type} of the kind "${name.slice(0, 100)}"${hint}.` };
}

/**
 * Takes the fields out of a document, without what only the repository that it is from can say. References are by UUID
 * alone: `uuidHere` answers the one that the target has here, and `revisionHere` which of its revisions is meant. Ids of the
 * package never count.
 */
export function documentValues(
  target: { readonly kind: ContentKind; readonly bundle: Bundle },
  types: FieldTypes,
  document: JsonObject,
  uuidHere: (type: EntityType, uuid: string) => string | undefined,
  revisionHere: (uuid: string, revision: unknown) => number | undefined = () => undefined,
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
    // Times, owner and ids are facts and not fields: they are taken over otherwise.
    if (base && (base.write === undefined || name === kind.names.owner || name === kind.names.created)) continue;
    count += Array.isArray(raw) ? raw.length : 1;
    if (count > MAX_VALUES) {
      problems.push({ path: name, message: `With it there are more than ${MAX_VALUES} values.` });
      break;
    }
    try {
      const type = entityTarget(definition);
      const translated =
        type === undefined ? raw : byUuid(definition, type, raw, { uuidHere, revisionHere }, missing, problems);
      values.set(name, parseItems(translated, definition, types));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      problems.push({ path: name, message: error.publicMessage });
    }
  }
  return { values, missing, problems };
}

interface TargetsHere {
  readonly uuidHere: (type: EntityType, uuid: string) => string | undefined;
  readonly revisionHere: (uuid: string, revision: unknown) => number | undefined;
}

function byUuid(
  { name }: FieldDefinition,
  type: EntityType,
  raw: JsonValue,
  { uuidHere, revisionHere }: TargetsHere,
  missing: MissingTarget[],
  problems: PackageProblem[],
): JsonValue {
  if (!Array.isArray(raw)) return raw;
  return raw.flatMap((item, delta): JsonValue[] => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return [item];
    const { target_id, target_uuid, target_type, target_revision_id: packed, url: _url, ...own } = item;
    // How a term says that nothing stands above it.
    if ((target_id === null || target_id === undefined) && target_uuid === undefined) return [];
    const at = `${name}.${delta}`;
    if (!isUuid(target_uuid)) {
      problems.push({
        path: at,
        message: 'It names what it refers to by an id of another repository: target_uuid is missing, or no UUID.',
      });
      return [];
    }
    if (target_type !== undefined && target_type !== type) {
      problems.push({ path: at, message: `It refers to a ${shown(target_type)}, where a ${type} belongs.` });
      return [];
    }
    const uuid = uuidHere(type, target_uuid);
    const revision = revisionHere(target_uuid, packed);
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
  return `${bundle.name} has no such field in the content model of this repository.${hint}`;
}
