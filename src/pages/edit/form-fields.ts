import type { ControlContext, Option } from '../../field-types/control.ts';
import { languageName } from '../../field-types/display/language.ts';
import type { Bundle, FieldDefinition, MediaType } from '../../model/content-model.ts';
import { permissionOf } from '../../model/permissions.ts';
import type { Actor } from '../../repository/actor.ts';
import { type BaseField, refusedChange } from '../../repository/content/base-field.ts';
import { inBundle } from '../../repository/content/fill/check-values.ts';
import type { ContentKind } from '../../repository/content/kinds.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { arrangeFields, type EditableField, type PlacedField } from './arrange-fields.ts';

/** The base fields of forms beside the label, by group. */
const BASE_FIELDS: Readonly<Record<string, PlacedField['place']>> = {
  description: 'main',
  parent: 'details',
  weight: 'details',
  access_rule: 'publication',
  status: 'publication',
  langcode: 'publication',
  path: 'publication',
};

interface FormScope {
  readonly kind: ContentKind;
  readonly bundle: Bundle;
  readonly isNew: boolean;
}

/**
 * Returns the fields of the form of content, which the caller may set, in the groups of the model. Without groups, the label
 * and required fields are first, then the others in the order of the model, then those of its publication.
 */
export function formFields(api: ApiServices, actor: Actor, { kind, bundle, isNew }: FormScope): EditableField[] {
  const context = controlContext(api, actor);
  const { types } = api.services.fields;
  const shown: PlacedField[] = [];
  const add = (definition: FieldDefinition, place: PlacedField['place']) => {
    const controls = types.of(definition).controls(definition, context);
    if (controls !== undefined) shown.push({ definition: inBundle({ kind, bundle }, definition), controls, place });
  };
  const maySet = ({ create, update }: BaseField) => refusedChange(isNew ? create : update, actor) === undefined;
  const addBase = (place: PlacedField['place']) => {
    for (const base of kind.baseFields)
      if (BASE_FIELDS[base.definition.name] === place && maySet(base)) add(base.definition, place);
  };
  const label = kind.baseFieldNamed.get(kind.labelMember ?? '');
  // A media without a name gets that of its file.
  if (label !== undefined)
    add(kind.type === 'media' ? { ...label.definition, required: false } : label.definition, 'main');
  addBase('main');
  const filled = kind.type === 'media' ? new Set((bundle as MediaType).autoFilled.values()) : new Set<string>();
  const own = bundle.fields.filter(({ name }) => !filled.has(name));
  for (const definition of own) if (definition.required) add(definition, 'main');
  for (const definition of own) if (!definition.required && definition.shownAs !== 'none') add(definition, 'details');
  addBase('details');
  for (const definition of own) if (!definition.required && definition.shownAs === 'none') add(definition, 'use');
  addBase('publication');
  const log = kind.baseFieldNamed.get(kind.names.revisionLog);
  if (log !== undefined && bundle.newRevision && maySet(log)) add(log.definition, 'publication');
  return arrangeFields(shown, bundle);
}

function controlContext({ services }: ApiServices, actor: Actor): ControlContext {
  const { languages, textFormats, access } = services.fields;
  const { fallbackFormat, textFormats: formats } = services.model;
  const isOpen = (name: string) => name === fallbackFormat || actor.may(permissionOf('use text format NAME', name));
  return {
    languages: languages.map((value): Option => ({ value, label: languageName(value) ?? value })),
    textFormats: [...textFormats]
      .filter(isOpen)
      .map((value): Option => ({ value, label: formats.get(value)?.label ?? value })),
    access: {
      presets: Array.from(access.presets.values(), ({ name, label }): Option => ({ value: name, label })),
      // A rule that lets everyone in is the level open.
      roles: [...access.roles.keys()].filter((name) => name !== 'anonymous'),
      networks: [...access.networks.keys()],
    },
  };
}
