import type { RdfValue } from '../field-types/rdf.ts';

/** The classes of a resource: a list, or the one name that stands for a bundle without a mapping. */
export type Types = readonly string[] | string;

/** A graph in the making: one resource that things are said of, and those that it refers to. */
export interface Graph {
  /** Says something of the subject. The same reference under the same predicate stands there once. */
  say(predicates: readonly string[], value: RdfValue): void;
  /** Names a resource and its classes, the first time that it is mentioned. */
  mention(id: string, types: Types): void;
  /** As JSON-LD, without a context. */
  toJson(): string;
}

type Member = { '@id': string; '@type': Types } & Record<string, RdfValue[] | Types>;

/** Starts the graph of a subject. */
export function createGraph(id: string, types: Types): Graph {
  const subject: Member = { '@id': id, '@type': types };
  const values = new Map<string, RdfValue[]>();
  const references = new Set<string>();
  const mentioned = new Map<string, { '@id': string; '@type': Types }>([[id, subject]]);

  return {
    say(predicates, value) {
      for (const predicate of predicates) {
        if ('@id' in value) {
          const reference = `${predicate} ${value['@id']}`;
          if (references.has(reference)) continue;
          references.add(reference);
        }
        const known = values.get(predicate);
        if (known === undefined) values.set(predicate, [value]);
        else known.push(value);
      }
    },
    mention(id, types) {
      if (!mentioned.has(id)) mentioned.set(id, { '@id': id, '@type': types });
    },
    toJson() {
      for (const [predicate, list] of values) subject[predicate] = list;
      return JSON.stringify({ '@graph': [...mentioned.values()] });
    },
  };
}
