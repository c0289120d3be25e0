import type { RepositoryConfig } from '../config/server-config.ts';
import type { FieldTypes } from '../field-types/field-type.ts';
import { builtInTypes } from '../field-types/registry.ts';
import { defaultProblem } from '../field-types/validate-field.ts';
import type { AccessNames } from '../model/access-rules.ts';
import type { ContentModel } from '../model/content-model.ts';
import { loadContentModel } from '../model/load-model.ts';
import { paths } from '../paths.ts';

/** No default of the model is an access rule. */
const NO_NAMES: AccessNames = { presets: new Map(), roles: new Set(), networks: new Set() };

/** Loads the content model of a repository. Throws ConfigError for an invalid one. */
export function loadModel(
  { modelFile, schemes }: Pick<RepositoryConfig, 'modelFile' | 'schemes'>,
  fieldTypes: FieldTypes = builtInTypes,
): Promise<ContentModel> {
  return loadContentModel(modelFile, {
    isOwnPath,
    schemes: new Set(schemes.map(({ name }) => name)),
    fieldTypes,
    refusedDefault: (item, definition, texts) =>
      // The HTML of a text does not affect its validity.
      defaultProblem(item, definition, {
        ...texts,
        types: fieldTypes,
        isOwnPath,
        access: NO_NAMES,
        process: (text) => text,
      })?.message,
  });
}

/** Returns true for a path of the program, which cannot be an alias. */
export function isOwnPath(path: string): boolean {
  const segments = path.split('/');
  return OWN_PATTERNS.some((pattern) => {
    const isOpen = pattern.at(-1) === '*';
    if (isOpen ? segments.length < pattern.length : segments.length !== pattern.length) return false;
    return pattern.every(
      (part, index) => part === segments[index] || part === '*' || (part.startsWith(':') && segments[index] !== ''),
    );
  });
}

const OWN_PATTERNS = Object.values(paths).map((pattern) => pattern.split('/'));
