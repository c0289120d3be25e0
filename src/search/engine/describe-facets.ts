import { fileTypeInWords } from '../../field-types/display/file-type-in-words.ts';
import type { DecadeCount, FacetCount, FacetResult, Viewer } from '../search-types.ts';
import type { FacetSetup, SearchSetup } from '../setup.ts';
import { isNodeVisibleTo, isTermVisibleTo } from '../visible-to.ts';
import type { LabelReader, Labels } from './labels.ts';
import type { NodeTable } from './node-table.ts';
import { type Filter, hasTexts } from './read-filters.ts';

/** The values of a facet in a result. */
const MAX_SHOWN = 50;
/** The values of which those that the viewer may not view are left out. */
const MAX_CANDIDATES = 100;

/** A value with the number of hits that have it. */
interface Candidate {
  /** As in the index. */
  readonly value: number;
  readonly count: number;
  readonly isChosen: boolean;
}

export interface FacetsPart {
  readonly facets: readonly FacetResult[];
  readonly decades: readonly DecadeCount[];
}

/** Returns the facets of a result, with their most frequent values that the viewer may view. */
export async function describeFacets(
  labelReader: LabelReader,
  { setup, table }: { readonly setup: SearchSetup; readonly table: NodeTable },
  { viewer, counts, filters }: { viewer: Viewer; counts: Uint32Array; filters: readonly Filter[] },
): Promise<FacetsPart> {
  const byFacet = candidatesOf(setup.facets, table, counts, filters);
  const frequent = byFacet.map(mostFrequent);
  const textIds = setup.facets.flatMap((facet, index) => (hasTexts(facet) ? valuesOf(frequent[index]) : []));
  const texts = await labelReader.texts(textIds);
  const idsOf = (target: FacetSetup['target']) =>
    setup.facets.flatMap((facet, index) => (facet.target === target ? valuesOf(frequent[index]) : []));
  const agents = setup.facets.flatMap(({ kind }, index) =>
    kind === 'agent' ? valuesOf(frequent[index]).map((id) => agentOf(texts.get(id) ?? '').term) : [],
  );
  const labels = await labelReader.labels({
    terms: [...idsOf('taxonomy_term'), ...agents],
    nodes: idsOf('node'),
  });
  const name = createNaming({ setup, viewer, texts, labels });
  const facets = setup.facets.map((facet, index) => ({
    name: facet.name,
    label: facet.label,
    values: shown(
      (frequent[index] as Candidate[]).flatMap((candidate) => name(facet, candidate) ?? []),
      facet,
    ),
  }));
  const decade = setup.facets.findIndex(({ kind }) => kind === 'decade');
  return {
    facets: facets.filter(({ values }) => values.length > 0),
    decades: (byFacet[decade] ?? [])
      .map(({ value, count }) => ({ decade: value | 0, count }))
      .filter(({ count }) => count > 0)
      .sort((one, other) => one.decade - other.decade),
  };
}

function candidatesOf(
  facets: readonly FacetSetup[],
  { dictionary }: NodeTable,
  counts: Uint32Array,
  filters: readonly Filter[],
): Candidate[][] {
  const chosen = new Set(filters.map(({ number }) => number));
  const byFacet: Candidate[][] = facets.map(() => []);
  for (let number = 0; number < counts.length; number++) {
    const count = counts[number] as number;
    const isChosen = chosen.size > 0 && chosen.has(number);
    if (count > 0 || isChosen)
      byFacet[dictionary.facets[number] as number]?.push({
        value: dictionary.values[number] as number,
        count,
        isChosen,
      });
  }
  return byFacet;
}

/** Chosen values come first. */
function mostFrequent(candidates: readonly Candidate[]): Candidate[] {
  return [...candidates]
    .sort(
      (one, other) =>
        Number(other.isChosen) - Number(one.isChosen) || other.count - one.count || one.value - other.value,
    )
    .slice(0, MAX_CANDIDATES);
}

function valuesOf(candidates: readonly Candidate[] | undefined): number[] {
  return (candidates ?? []).map(({ value }) => value);
}

/** Orders values by their number, and equal ones by name. Decades are in their own order. */
function shown(values: readonly FacetCount[], { kind }: FacetSetup): FacetCount[] {
  const first = values.slice(0, MAX_SHOWN);
  if (kind === 'decade') return first.sort((one, other) => Number(one.value) - Number(other.value));
  return first.sort((one, other) => other.count - one.count || (one.label < other.label ? -1 : 1));
}

/** Splits the value of an agent: `relators:aut|45`. */
function agentOf(text: string): { readonly role: string; readonly term: number } {
  const at = text.lastIndexOf('|');
  return { role: text.slice(0, Math.max(at, 0)), term: Number(text.slice(at + 1)) };
}

interface FacetContext {
  readonly setup: SearchSetup;
  readonly viewer: Viewer;
  readonly texts: ReadonlyMap<number, string>;
  readonly labels: Labels;
}

/** Returns a function that names a value; undefined if the viewer may not view it. */
function createNaming({ setup, viewer, texts, labels }: FacetContext) {
  const nameOfTerm = (id: number) => {
    const term = labels.terms.get(id);
    return term && isTermVisibleTo(viewer, term) && term.label;
  };
  const nameOf = (
    facet: FacetSetup,
    { value, isChosen }: Candidate,
  ): { value?: string; label: string | false | undefined } => {
    const text = texts.get(value) ?? '';
    switch (facet.kind) {
      case 'decade':
        return { label: `${value | 0}s`, value: String(value | 0) };
      case 'full_text':
        return { label: 'Has full text' };
      case 'file_type':
        return { label: text && fileTypeInWords(text, undefined), value: text };
      case 'rights':
        return { label: text, value: text };
      case 'bundle':
        return { label: labelIn(setup.bundles, text), value: text };
      case 'agent': {
        const { role, term } = agentOf(text);
        const name = nameOfTerm(term);
        return { label: name && (role === '' ? name : `${name} (${labelIn(setup.roles, role)})`), value: text };
      }
      default: {
        if (facet.target === 'taxonomy_term') return { label: nameOfTerm(value) };
        const node = labels.nodes.get(value);
        const isShown = facet.kind !== 'collection' || isChosen || node?.isCollection === true;
        return { label: isShown && node && isNodeVisibleTo(viewer, node) && node.label };
      }
    }
  };
  return (facet: FacetSetup, candidate: Candidate): FacetCount | undefined => {
    const { label, value = String(candidate.value) } = nameOf(facet, candidate);
    return label ? { value, label, count: candidate.count } : undefined;
  };
}

/** Returns the label of a name; the name itself for one that the model lacks. */
function labelIn(labels: Readonly<Record<string, string>>, name: string): string {
  return (Object.hasOwn(labels, name) ? labels[name] : undefined) ?? name;
}
