import derivatives from '../../config/derivatives.yaml' with { type: 'text' };
import { readEnv } from '../base/env.ts';
import { embeddedYaml, readYamlFile, type YamlFile } from '../base/yaml-file.ts';
import type { ContentModel } from '../model/content-model.ts';
import { parseRules } from './parse-rules.ts';
import type { DerivativeRules } from './rules.ts';

/** The part of the server configuration that the rules depend on. */
interface RulesConfig {
  readonly derivatives: { readonly rulesFile: string | undefined };
  readonly schemes: readonly { readonly name: string }[];
}

/** Returns the default rules, which are part of the program. Errors call them `built-in derivatives.yaml`. */
export function defaultRulesFile(): YamlFile {
  return embeddedYaml('built-in derivatives.yaml', derivatives);
}

/**
 * Reads the derivative rules: the user's own file, if there is one, merged over the default rules. Throws `ConfigError`
 * with every problem of that file and of the merged rules.
 */
export async function loadDerivativeRules(
  { derivatives, schemes }: RulesConfig,
  { mediaTypes }: Pick<ContentModel, 'mediaTypes'>,
): Promise<DerivativeRules> {
  const { rulesFile } = derivatives;
  const user = rulesFile === undefined ? undefined : await readYamlFile(rulesFile, readEnv);
  const known = { mediaTypes, schemes: new Set(schemes.map(({ name }) => name)) };
  return parseRules(known, defaultRulesFile(), user);
}

/**
 * Returns the URIs by which the configuration refers to terms: those of the derivative rules and of Signposting, and of the
 * initial terms of vocabularies with external URIs (models, media use, display).
 */
export function configuredUris(
  { vocabularies, signposting }: Pick<ContentModel, 'vocabularies' | 'signposting'>,
  { actions, contexts }: DerivativeRules,
): ReadonlySet<string> {
  const uris = new Set<string>();
  const add = (list: Iterable<string>) => {
    for (const uri of list) uris.add(uri);
  };
  for (const { sourceTerm, derivativeTerm, ofMembers } of actions.values())
    add([sourceTerm, derivativeTerm, ...(ofMembers?.parentTerms ?? [])]);
  for (const { conditions } of contexts)
    for (const { condition, values } of conditions) if (condition.endsWith('_has_term')) add(values);
  for (const bundles of Object.values(signposting))
    for (const { item } of bundles.values()) if (item !== 'all') add(item);
  for (const { uriField, terms } of vocabularies.values())
    if (uriField === 'field_external_uri') add(terms.flatMap(({ uri }) => uri ?? []));
  return uris;
}
