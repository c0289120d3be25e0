import { readMember, readOptional } from './members.ts';
import type { Block } from './sequence.ts';
import { pingSite } from './start-up.ts';
import type { Workbench, WorkbenchAnswer } from './workbench.ts';

/** The definition of a field in Workbench after block F. */
export interface FieldDefinition {
  readonly type: string;
  readonly label: string;
  readonly isRequired: boolean;
  readonly cardinality: number;
  readonly maxLength: number | undefined;
  readonly targetType: string | undefined;
  readonly vocabularies: readonly string[];
  readonly relationTypes: readonly string[];
  readonly authoritySources: readonly string[];
  readonly fileExtensions: readonly string[] | undefined;
  readonly allowedValues: readonly string[] | undefined;
}

export type FieldDefinitions = ReadonlyMap<string, FieldDefinition>;

/** The default content type of Workbench. */
const CONTENT_TYPE = 'islandora_object';
const VOCABULARY = 'taxonomy.vocabulary.';

/** Block F: every field of a bundle. What it found is kept as `fields of {bundle}`. */
export function fieldDefinitions(entityType: string, bundle: string): Block {
  return async (workbench, facts) => {
    facts[`fields of ${bundle}`] = await readDefinitions(workbench, entityType, bundle);
  };
}

/** Block E: whether the bundle is there, without its fields. */
export function formDisplays(entityType: string, bundle: string): Block {
  return async (workbench) => {
    await fieldNames(workbench, entityType, bundle);
  };
}

/** Block F, to look into. */
export async function readDefinitions(
  workbench: Workbench,
  entityType: string,
  bundle: string,
): Promise<FieldDefinitions> {
  await pingSite(workbench);
  const definitions = new Map<string, FieldDefinition>();
  for (const field of await fieldNames(workbench, entityType, bundle)) {
    const config = await ask(workbench, 'field_config', [entityType, bundle, field]);
    const storage = await ask(workbench, 'field_storage_config', [entityType, field]);
    try {
      definitions.set(field, definitionOf(entityType, ok(config), ok(storage)));
    } catch (cause) {
      throw new Error(`${entityType}.${bundle}.${field}: ${(cause as Error).message}`, { cause });
    }
  }
  const labels = [...definitions.values()].map(({ label }) => label);
  // Tables may have labels for headings.
  if (new Set(labels).size !== labels.length) throw new Error(`two fields of ${bundle} have one label: ${labels}`);
  return definitions;
}

async function fieldNames(workbench: Workbench, entityType: string, bundle: string): Promise<string[]> {
  const { contentType = CONTENT_TYPE } = workbench.options;
  const ofNode = await ask(workbench, 'entity_form_display', ['node', contentType]);
  if (ofNode.status === 404) throw new Error(`there is no content type ${contentType}`);
  const display = await ask(workbench, 'entity_form_display', [entityType, bundle]);
  if (display.status === 404 && entityType === 'taxonomy_term') {
    ok(await workbench.send('GET', `/entity/taxonomy_vocabulary/${bundle}?_format=json`));
    return [];
  }
  const config = readMember(ok(display), 'dependencies.config', 'list') as string[];
  const begins = `field.field.${entityType}.${bundle}.`;
  return config.filter((entry) => entry.startsWith(begins)).map((entry) => entry.slice(begins.length));
}

type Question = 'entity_form_display' | 'field_config' | 'field_storage_config';

/** The two forms of the three questions. */
function ask(workbench: Workbench, question: Question, names: string[]): Promise<WorkbenchAnswer> {
  if (workbench.options.useWorkbenchPermissions) {
    const asked = question === 'entity_form_display' ? 'entity_display' : question;
    return workbench.send('GET', `/islandora_workbench_integration/node_actions/${asked}/${names.join('/')}`);
  }
  const all = question === 'entity_form_display' ? [...names, 'default'] : names;
  return workbench.send('GET', `/entity/${question}/${all.join('.')}?_format=json`);
}

function ok(answer: WorkbenchAnswer): unknown {
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json();
}

function definitionOf(entityType: string, config: unknown, storage: unknown): FieldDefinition {
  readMember(config, 'entity_type', `= ${entityType}`);
  const dependencies = readMember(config, 'dependencies.config', 'list') as string[];
  const settings = settingsOf(config);
  readOptional(settings, 'handler', 'text');
  const handler = readOptional(settings, 'handler_settings', 'object') ?? {};
  // It would ask a list of the site that only its own configuration can name.
  if (Object.hasOwn(handler as object, 'view')) throw new Error('the handler is a View');
  const stored = settingsOf(storage);
  const extensions = readOptional(settings, 'file_extensions', 'text') as string | undefined;
  const longest = (stored as Record<string, unknown>).max_length;
  const type = readMember(config, 'field_type', 'text') as string;
  readMember(storage, 'type', `= ${type}`);
  return {
    type,
    label: readMember(config, 'label', 'text') as string,
    isRequired: readMember(config, 'required', 'boolean') as boolean,
    cardinality: readMember(storage, 'cardinality', 'integer') as number,
    maxLength: longest === null || longest === undefined ? undefined : (readMember(longest, '', 'integer') as number),
    targetType: readOptional(stored, 'target_type', 'text') as string | undefined,
    vocabularies: dependencies
      .filter((entry) => entry.startsWith(VOCABULARY))
      .map((entry) => entry.slice(VOCABULARY.length)),
    relationTypes: keysOf(readOptional(settings, 'rel_types', 'object')) ?? [],
    authoritySources: keysOf(readOptional(settings, 'authority_sources', 'object')) ?? [],
    fileExtensions: extensions?.split(' '),
    allowedValues: keysOf(readOptional(stored, 'allowed_values', 'object')),
  };
}

/** PHP writes an empty map as an empty list. */
function settingsOf(entity: unknown): object {
  const settings = readMember(entity, 'settings', 'there');
  return Array.isArray(settings) && settings.length === 0 ? {} : (readMember(settings, '', 'object') as object);
}

function keysOf(map: unknown): string[] | undefined {
  return map === undefined ? undefined : Object.keys(map as object);
}
