import { CONFIG_TYPES, ENTITY_TYPES, type FieldDefinition } from '../model/content-model.ts';
import { INDEPENDENT_TYPES } from '../model/field-facts.ts';
import { isNothing, toInteger } from './convert-value.ts';
import { defineFieldType, NO_WORDS } from './define-field-type.ts';
import type { FieldType } from './field-type.ts';
import {
  expectedTarget,
  readTarget,
  referenceSettings,
  refersToConfig,
  showTarget,
  targetViolations,
  withTarget,
} from './reference.tsx';
import { answeredReference, integerOrNull, REFERENCE_MEMBERS } from './schemas.ts';
import { wrongType } from './violation.ts';

/** A reference to an entity or to configuration. */
export const entityReference = defineFieldType({
  main: 'target_id',
  mains: ['target_id', 'target_uuid'],
  settings: ['target_type', 'target_bundles', 'auto_create', 'auto_create_bundle'],
  neededSettings: ['target_type'],
  targetTypes: [...INDEPENDENT_TYPES, ...CONFIG_TYPES],
  expectedMain: expectedTarget,
  isSignpost: true,
  answer: answeredReference('Reference'),
  input: REFERENCE_MEMBERS,
  parse: readTarget,
  violations: targetViolations,
  complete: (item) => withTarget(item, {}),
  isRelated: true,
  // The ids of configuration are names.
  controls: (definition) => [{ kind: refersToConfig(definition) ? 'text' : 'target', member: 'target_id' }],

  ...NO_WORDS,
  show: (item, _definition, view) => showTarget(item, view),
  widget: 'entity_reference_autocomplete',
  fieldSettings: referenceSettings,
});

const ANY_CONFIG: Pick<FieldDefinition, 'targetType'> = { targetType: 'user_role' };

/** A reference to configuration, for fields of any target type. */
export const configReference: FieldType = {
  ...entityReference,
  mains: ['target_id'],
  settings: ['target_type'],
  targetTypes: CONFIG_TYPES,
  isSignpost: false,
  input: REFERENCE_MEMBERS,
  parse: (raw) => readTarget(raw, ANY_CONFIG),
  violations: (item) => targetViolations(item, ANY_CONFIG),
  isRelated: false,
  controls: () => [{ kind: 'text', member: 'target_id' }],
  widget: 'options_select',
};

/** A reference to a revision of an entity. Only this type can refer to paragraphs. */
export const entityReferenceRevisions: FieldType = {
  ...entityReference,
  settings: ['target_type', 'target_bundles'],
  targetTypes: ENTITY_TYPES,
  properties: { target_id: 'text', target_revision_id: 'number' },
  isSignpost: false,
  answer: answeredReference('RevisionReference', { target_revision_id: integerOrNull }),
  input: [...REFERENCE_MEMBERS, 'target_revision_id'],
  parse: (raw, definition) => {
    const target = readTarget(raw, definition);
    const revision = isNothing(raw.target_revision_id) ? null : toInteger(raw.target_revision_id);
    return target && { ...target, target_revision_id: revision };
  },
  violations: (item, definition) => [
    ...targetViolations(item, definition),
    ...(item.target_revision_id === null || Number.isSafeInteger(item.target_revision_id ?? null)
      ? []
      : [wrongType('target_revision_id')]),
  ],
  complete: (item) => withTarget(item, { target_revision_id: item.target_revision_id ?? null }),
  isRelated: false,
  controls: () => undefined,
  isJsonInCells: true,
  module: 'entity_reference_revisions',
  widget: 'entity_reference_revisions_autocomplete',
};
