import { siteRoot } from '../../field-types/display/addresses.ts';
import { paths } from '../../paths.ts';
import type { Site } from '../../web/site.ts';
import { formPage } from '../forms/form-page.tsx';
import type { HtmlPage } from '../layout.tsx';

/** The vocabularies that a caller may manage. */
export interface VocabulariesData {
  readonly vocabularies: readonly { readonly name: string; readonly label: string; readonly terms: number }[];
}

/** Returns the list of vocabularies. */
export function vocabulariesPage({ vocabularies }: VocabulariesData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  return formPage({
    site,
    heading: 'Vocabularies',
    lead: <p>The lists of names and subjects from which items choose.</p>,
    children: (
      <dl class="page-list">
        {vocabularies.map(({ name, label, terms }) => (
          <div key={name}>
            <dt>
              <a href={root + paths.vocabularyTerms.replace(':taxonomy_vocabulary', name)}>{label}</a>
            </dt>
            <dd>{terms === 1 ? '1 term' : `${NUMBER.format(terms)} terms`}</dd>
          </div>
        ))}
      </dl>
    ),
  });
}

const NUMBER = new Intl.NumberFormat('en');
