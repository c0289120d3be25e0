import { countInWords } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, pathOf } from '../../paths.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { errorOf, type FormProblem } from '../forms/error-summary.tsx';
import { Checkbox, TextInput } from '../forms/field.tsx';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';

/** The page on which a term is merged into another one. */
export interface MergeData {
  readonly vocabulary: { readonly name: string; readonly label: string };
  readonly term: { readonly id: number; readonly label: string };
  /** The number of references to it. */
  readonly uses: number;
  /** The text that names the other term. */
  readonly typed: string;
  /** The other term, once it is chosen. */
  readonly into: { readonly id: number; readonly label: string } | undefined;
  /** True if its vocabulary has a field for other names. */
  readonly keepsName: boolean;
  readonly keeps: boolean;
  readonly problems: readonly FormProblem[];
  readonly token: string;
}

/** Returns the page of a merge: the choice of the other term, and then the effects, which are confirmed. */
export function mergePage(data: MergeData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const { vocabulary, term, typed, into, problems } = data;
  const list = root + pathOf('vocabularyTerms', { taxonomy_vocabulary: vocabulary.name });
  const path = root + pathOf('termMergeForm', { taxonomy_vocabulary: vocabulary.name, taxonomy_term: term.id });
  return formPage({
    site,
    heading: `Merge ${term.label}`,
    errors: problems,
    styles: ['fields.css'],
    modules: into === undefined ? ['fields.js'] : [],
    crumbs: (
      <nav aria-label="Breadcrumbs">
        <a href={list}>{vocabulary.label}</a>
      </nav>
    ),
    children:
      into === undefined ? (
        <form action={path}>
          <TextInput
            {...{ name: 'into', label: 'The term to keep', required: true, error: errorOf(problems, 'into') }}
            value={typed}
            autocomplete="off"
            help="Its name. If several have the same name, add its number: Basel (12)."
            data={{
              'data-completions': `${root}${pathOf('completions', {
                ...{ entity_type: 'taxonomy_term', bundle: vocabulary.name, field_name: 'parent' },
              })}`,
            }}
          />
          <ActionBar>
            <button class="button" type="submit">
              Continue
            </button>
            <a href={list}>Cancel</a>
          </ActionBar>
        </form>
      ) : (
        <form method="post" action={path}>
          <FormToken token={data.token} />
          <input type="hidden" name="into" value={`${into.label} (${into.id})`} />
          <Effects data={data} into={into} root={root} />
          <Checkbox
            name="keep"
            label={`Keep “${term.label}”, and only replace it in all content`}
            help="It stays in the vocabulary without uses."
            checked={data.keeps}
          />
          <ActionBar>
            <button class="button danger" type="submit">
              Merge
            </button>
            <a href={path}>Choose another term</a>
            <a href={list}>Cancel</a>
          </ActionBar>
        </form>
      ),
  });
}

interface EffectsProps {
  readonly data: MergeData;
  readonly into: NonNullable<MergeData['into']>;
  readonly root: string;
}

/** The effects of a merge in sentences. */
function Effects({ data: { term, uses, keepsName }, into, root }: EffectsProps) {
  return (
    <div class="warning">
      <p>
        <strong>This cannot be undone.</strong> “<bdi>{term.label}</bdi>” becomes “
        <a href={root + entityPath.taxonomy_term(into.id)}>
          <bdi>{into.label}</bdi>
        </a>
        ”.
      </p>
      <ul>
        <li>
          {uses === 0
            ? 'Nothing refers to it.'
            : `${countInWords(uses, 'reference')} to it ${uses === 1 ? 'changes' : 'change'}, in items that you may not change, too. Readers see the new name at once; lists and searches follow.`}
        </li>
        <li>
          {keepsName
            ? 'Its names become other names of the remaining term, by which readers find the items.'
            : 'Its name is lost: the vocabulary of the remaining term has no field for other names.'}
        </li>
        <li>Its address leads to the remaining term.</li>
      </ul>
    </div>
  );
}
