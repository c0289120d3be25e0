import type { Content } from '../../repository/content/content.ts';
import { addressWithin } from '../../web/address-within.ts';
import type { Call } from '../../web/call.ts';
import { languageOf, linksOf } from '../../web/content-links.ts';
import { formAnswer } from '../../web/form-answer.ts';
import { gatherPage } from '../content/gather-page.ts';
import { FIRST_PAGE } from '../content/page-query.ts';
import { BUTTON } from './content-form-data.ts';
import type { NewTerms } from './new-terms.ts';

/** The links that lead to changes of content. */
const CHANGES = /^(?:edit-form|version-history|https:\/\/drupal\.org\/link-relations\/.*)$/;

interface PreviewInput {
  /** The content as it would be saved. */
  readonly content: Content;
  readonly isNew: boolean;
  /** The fields of the form as they were sent. */
  readonly fields: URLSearchParams;
  readonly newTerms: NewTerms;
}

/** Answers the page of content as it would be saved, with the form that saves it. */
export async function answerPreview(call: Call, { content, isNew, fields, newTerms }: PreviewInput): Promise<Response> {
  const { api, actor } = call;
  const entity = await api.content.complete(content, { actor, surroundings: 'always' });
  const page = await gatherPage(call, entity, FIRST_PAGE, 'typed');
  const { surroundings } = entity;
  const rendered = page.render(
    {
      content: entity.parsed(),
      around: { ...surroundings, targets: [...surroundings.targets, ...newTerms.uses] },
      // New content has no address yet.
      links: isNew ? [] : linksOf(call, entity, 'html').filter(({ rel }) => !CHANGES.test(rel)),
      preview: {
        action: addressWithin(call.request),
        token: call.formToken,
        fields: [...fields].filter(([name]) => name !== BUTTON),
        isNew,
        newTerms: newTerms.targets.map(({ label = '' }) => label),
      },
    },
    call.pageSource,
  );
  return formAnswer(rendered, 200, { 'Content-Language': languageOf(content) ?? api.services.model.defaultLanguage });
}
