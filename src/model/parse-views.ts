import type { Static } from '@sinclair/typebox';
import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader } from '../base/config-reader.ts';
import { nearest } from '../base/nearest.ts';
import type {
  Bundle,
  ExposedFilter,
  FixedFilter,
  View,
  ViewField,
  ViewFilter,
  ViewOrder,
  ViewType,
} from './content-model.ts';
import type { FieldFacts } from './field-facts.ts';
import { parseViewField, parseViewFilter, type ViewScope } from './parse-view-fields.ts';
import { isKnown, type Permission } from './permissions.ts';
import type { AuthenticationType } from './rest.ts';
import { ExposedFilterSchema, FixedFilterSchema, ViewSchema } from './view-schema.ts';

/** The bundles, permissions and field types that lists may use. */
interface ViewsContext {
  readonly bundles: Readonly<Record<ViewType, ReadonlyMap<string, Bundle>>>;
  readonly permissions: ReadonlySet<Permission>;
  readonly fieldTypes: ReadonlyMap<string, FieldFacts>;
  /** Returns true if a route of the program has this path. */
  isOwnPath(path: string): boolean;
}

type ViewFile = Partial<Static<typeof ViewSchema>>;

const PARAMETER = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const RESERVED: readonly string[] = ['page', '_format'];
const NUMBER = /^-?\d+(\.\d+)?$/;

/** Reads the configured lists (config/views.yaml). */
export function parseViews(
  reader: ConfigReader,
  value: Readonly<Record<string, unknown>>,
  context: ViewsContext,
): Map<string, View> {
  const parsed = reader.eachNamed(value, ['views'], (name, view, path) => parseView(reader, name, view, path, context));
  const views = new Map<string, View>();
  const nameAt = new Map<string, string>();
  for (const [name, view] of parsed) {
    if (view === undefined) continue;
    const other = nameAt.get(view.path);
    const path = ['views', name, 'path'];
    if (other !== undefined) reader.report(path, `${nameOf(path)}: views.${other} already has the path ${view.path}`);
    else if (context.isOwnPath(view.path))
      reader.report(path, `${nameOf(path)}: ${view.path} is an address of the repository itself`);
    nameAt.set(view.path, name);
    views.set(name, view);
  }
  return views;
}

function parseView(
  reader: ConfigReader,
  name: string,
  value: unknown,
  path: string[],
  context: ViewsContext,
): View | undefined {
  const file: ViewFile = reader.map(ViewSchema, value, path);
  const entityType = file.entity_type as ViewType | undefined;
  if (entityType === undefined || file.path === undefined) return undefined;
  const known = context.bundles[entityType];
  const bundles = file.bundles?.filter((bundle, index) => {
    if (known.has(bundle)) return true;
    reader.reportUnknown([...path, 'bundles', String(index)], 'bundle', bundle, known.keys());
    return false;
  });
  const chosen = [...known.values()].filter((bundle) => bundles === undefined || bundles.includes(bundle.name));
  const scope: ViewScope = { entityType, bundles: chosen, fieldTypes: context.fieldTypes };
  return {
    name,
    path: file.path,
    entityType,
    bundles,
    exposed: parseExposed(reader, scope, file.filters ?? {}, [...path, 'filters']),
    fixed: parseFixed(reader, scope, file.fixed ?? [], [...path, 'fixed']),
    order: parseOrder(reader, scope, file.order ?? [], [...path, 'order']),
    pageSize: file.page_size,
    fields: file.fields && parseFields(reader, scope, file.fields, [...path, 'fields']),
    permission: parsePermission(reader, file.permission, [...path, 'permission'], context.permissions),
    authentication: file.authentication as AuthenticationType[] | undefined,
  };
}

function parsePermission(
  reader: ConfigReader,
  permission: string | undefined,
  path: string[],
  known: ReadonlySet<Permission>,
): Permission | undefined {
  if (permission === undefined || isKnown(known, permission)) return permission;
  const guess = nearest(permission, [...known]);
  const hint = guess ? `did you mean "${guess}"?` : 'permissions are those that roles can have';
  reader.report(path, `${nameOf(path)}: there is no permission "${permission}"; ${hint}`);
  return undefined;
}

function parseExposed(
  reader: ConfigReader,
  scope: ViewScope,
  filters: Readonly<Record<string, unknown>>,
  path: string[],
): ExposedFilter[] {
  return Object.entries(filters).flatMap(([parameter, value]): ExposedFilter[] => {
    const at = [...path, parameter];
    if (RESERVED.includes(parameter))
      reader.report(at, `${nameOf(at)}: the parameter ${parameter} is reserved; choose another name`);
    else if (!PARAMETER.test(parameter))
      reader.report(at, `${nameOf(at)}: a parameter is at most 64 letters, digits and -_., and begins with a letter`);
    const file = reader.map(ExposedFilterSchema, value, at);
    const filter = parseViewFilter(reader, scope, file as object, at);
    return filter === undefined ? [] : [{ ...filter, parameter, isRequired: file.required ?? false }];
  });
}

function parseFixed(
  reader: ConfigReader,
  scope: ViewScope,
  filters: readonly unknown[],
  path: string[],
): FixedFilter[] {
  return filters.flatMap((each, index): FixedFilter[] => {
    const at = [...path, String(index)];
    const file = reader.map(FixedFilterSchema, each, at);
    const filter = parseViewFilter(reader, scope, file as object, at);
    if (filter === undefined || file.value === undefined) return [];
    const value = fitting(filter, file.value);
    if (value !== undefined) return [{ ...filter, value }];
    reader.report(
      [...at, 'value'],
      `${nameOf([...at, 'value'])} must be ${wantedOf(filter.field)}: it is compared with ${filter.field.text}, found ${JSON.stringify(file.value)}`,
    );
    return [];
  });
}

/** Converts a value to the type of its field; undefined for an invalid value. Terms may be given by URI. */
function fitting({ field }: ViewFilter, value: string | number | boolean): string | number | boolean | undefined {
  switch (field.kind) {
    case 'text':
      return String(value);
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'number':
    case 'id': {
      if (typeof value === 'boolean') return undefined;
      if (typeof value === 'number' || NUMBER.test(value)) return Number(value);
      return field.targetType === 'taxonomy_term' && value.includes(':') ? value : undefined;
    }
  }
}

function wantedOf({ kind, targetType }: ViewField): string {
  if (kind === 'boolean') return 'true or false';
  if (kind === 'number') return 'a number';
  return targetType === 'taxonomy_term' ? 'the id or the URI of a term' : 'an id';
}

function parseOrder(reader: ConfigReader, scope: ViewScope, order: readonly string[], path: string[]): ViewOrder[] {
  return order.flatMap((text, index): ViewOrder[] => {
    const [name = '', direction] = text.split(' ');
    const field = parseViewField(reader, scope, name, [...path, String(index)]);
    return field === undefined ? [] : [{ field, isDescending: direction === 'desc' }];
  });
}

function parseFields(reader: ConfigReader, scope: ViewScope, fields: readonly string[], path: string[]): ViewField[] {
  return fields.flatMap((text, index) => parseViewField(reader, scope, text, [...path, String(index)]) ?? []);
}
