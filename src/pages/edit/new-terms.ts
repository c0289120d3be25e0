import type { FieldDefinition } from '../../model/content-model.ts';
import type { Target } from '../../repository/content/fill/targets.ts';
import type { Neighbour } from '../../repository/content/read/surroundings.ts';
import { decideNew } from '../../repository/content/write/decide-content.ts';
import { ValidationFailed } from '../../repository/errors.ts';
import type { Call } from '../../web/call.ts';
import { newTermVocabularies } from './new-term-choices.ts';

/** A term that does not exist yet: as the target of a write, and as a page shows it. */
interface NewTerm {
  readonly target: Target;
  readonly neighbour: Neighbour;
}

type NamedNewTerm = { readonly id: number } | { readonly problem: string };

/** The terms that the names in a preview would become. They are decided as new content is, and never saved. */
export class NewTerms {
  readonly #call: Call;
  readonly #byName = new Map<string, NewTerm>();
  readonly #uses: { readonly field: string; readonly target: Neighbour }[] = [];

  constructor(call: Call) {
    this.#call = call;
  }

  /** The terms as targets that the write creates. */
  get targets(): readonly Target[] {
    return [...this.#byName.values()].map(({ target }) => target);
  }

  /** The terms as the surroundings of content, by the field that refers to them. */
  get uses(): readonly { readonly field: string; readonly target: Neighbour }[] {
    return this.#uses;
  }

  /** Returns the id of the term of a name, which is negative, or the problem of the name. The field must create terms. */
  async find(definition: FieldDefinition, name: string): Promise<NamedNewTerm> {
    const bundle = newTermVocabularies(this.#call, definition)[0]?.name ?? '';
    const key = `${bundle} ${name.toLowerCase()}`;
    const known = this.#byName.get(key);
    const term = known ?? (await this.#decide(bundle, name));
    if ('problem' in term) return term;
    this.#byName.set(key, term);
    this.#uses.push({ field: definition.name, target: term.neighbour });
    return { id: term.target.id };
  }

  async #decide(vocabulary: string, name: string): Promise<NewTerm | { readonly problem: string }> {
    const { api, actor } = this.#call;
    const kind = api.kinds.taxonomy_term;
    const bundle = kind.bundles.get(vocabulary);
    if (bundle === undefined) throw new Error(`no vocabulary for the new term of ${vocabulary}`);
    const values = new Map([['name', [{ value: name }]]]);
    try {
      const { draft } = await decideNew(api.services, actor, kind, bundle, values, {});
      const { uuid, ownerId, status, label, version, langcode } = draft;
      const id = -1 - this.#byName.size;
      const facts = { type: kind.type as 'taxonomy_term', id, bundle: bundle.name, accessSet: 0 };
      return {
        target: { ...facts, uuid, ownerId, status, label, version, file: undefined },
        neighbour: {
          ...{ ...facts, ownerId, status, label, language: langcode },
          ...{ externalUri: undefined, authorityUri: undefined, isNew: true },
        },
      };
    } catch (error) {
      if (error instanceof ValidationFailed) return { problem: error.violations[0]?.message ?? error.publicMessage };
      throw error;
    }
  }
}
