import { siteRoot } from '../../field-types/display/addresses.ts';
import { pathOf } from '../../paths.ts';
import type { Site } from '../../representation/page-data.ts';
import type { VocabulariesData } from '../../representation/taxonomy-data.ts';
import { formPage } from '../forms/form-page.tsx';
import type { HtmlPage } from '../layout.tsx';

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
              <a href={root + pathOf('vocabularyTerms', { taxonomy_vocabulary: name })}>{label}</a>
            </dt>
            <dd>{terms === 1 ? '1 term' : `${NUMBER.format(terms)} terms`}</dd>
          </div>
        ))}
      </dl>
    ),
  });
}

const NUMBER = new Intl.NumberFormat('en');
