import type { AnyElysia } from 'elysia';
import { aliasRoutes } from '../api/aliases/alias-routes.ts';
import { authorityTermRoutes } from '../api/authorities/authority-term-routes.ts';
import { namedTermRoutes } from '../api/authorities/named-term-routes.ts';
import { configRoutes } from '../api/config/config-routes.ts';
import { mediaRoutes, nodeRoutes, paragraphRoutes, termRoutes } from '../api/content/content-routes.ts';
import { mergeRoutes } from '../api/content/merge-routes.ts';
import { derivativeEventRoutes } from '../api/derivatives/derivative-event-routes.ts';
import { derivativeRoutes } from '../api/derivatives/derivative-routes.ts';
import { derivativeScanRoutes } from '../api/derivatives/derivative-scan-routes.ts';
import { downloadRoutes } from '../api/files/download-routes.ts';
import { fileRoutes } from '../api/files/file-routes.ts';
import { mediaSourceRoutes } from '../api/files/media-source-routes.ts';
import { pageRoutes } from '../api/files/page-routes.ts';
import { counterRoutes } from '../api/harvest/counter-routes.ts';
import { feedRoutes } from '../api/harvest/feed-routes.ts';
import { oaiRoutes } from '../api/harvest/oai-routes.ts';
import { sitemapRoutes } from '../api/harvest/sitemap-routes.ts';
import { activityRoutes } from '../api/iiif/activity-routes.ts';
import { annotationRoutes } from '../api/iiif/annotation-routes.ts';
import { contentSearchRoutes } from '../api/iiif/content-search-routes.ts';
import { imageRoutes } from '../api/iiif/image-routes.ts';
import { manifestRoutes } from '../api/iiif/manifest-routes.ts';
import { entityListRoutes } from '../api/lists/entity-list-routes.ts';
import { listRoutes } from '../api/lists/list-routes.ts';
import { openapiRoutes } from '../api/openapi/openapi-routes.ts';
import { operationRoutes } from '../api/operation/operation-routes.ts';
import { reconcileRoutes } from '../api/reconcile/reconcile-routes.ts';
import { reconcileSuggestRoutes } from '../api/reconcile/suggest-routes.ts';
import { redirectRoutes } from '../api/redirects/redirect-routes.ts';
import { mediaRevisionRoutes, nodeRevisionRoutes } from '../api/revisions/revision-routes.ts';
import { searchRoutes } from '../api/search/search-routes.ts';
import { suggestRoutes } from '../api/search/suggest-routes.ts';
import { sessionRoutes } from '../api/sessions/session-routes.ts';
import { settingRoutes } from '../api/settings/setting-routes.ts';
import { tokenRoutes } from '../api/tokens/token-routes.ts';
import { attachRoutes } from '../api/uploads/attach-routes.ts';
import { uploadRoutes } from '../api/uploads/upload-routes.ts';
import { userRoutes } from '../api/users/user-routes.ts';
import { viewRoutes } from '../api/views/view-routes.ts';
import { workbenchRoutes } from '../api/workbench/workbench-routes.ts';
import { compressing } from '../http/compression.ts';
import { createErrorPlugin, type Handle, whenConfirmed } from '../http/error-plugin.ts';
import { viewAsRoutes } from '../pages/access/view-as-routes.tsx';
import { cancelRoutes } from '../pages/account/cancel-routes.ts';
import { mailChangeRoutes } from '../pages/account/confirm-mail-page.tsx';
import { editRoutes } from '../pages/account/edit-routes.ts';
import { resetRoutes } from '../pages/account/new-password-page.tsx';
import { passwordRoutes } from '../pages/account/password-page.tsx';
import { resetLinkRoutes } from '../pages/account/reset-link-routes.ts';
import { sessionListRoutes } from '../pages/account/sessions-page.tsx';
import { signInRoutes } from '../pages/account/sign-in-form.tsx';
import { actionRoutes } from '../pages/actions/action-routes.ts';
import { contentActionRoutes } from '../pages/actions/content-action-routes.ts';
import { adminRoutes } from '../pages/admin/admin-page.tsx';
import { askRoutes } from '../pages/asking/ask-routes.ts';
import { accessLinkRoutes } from '../pages/asking/link-routes.ts';
import { assetRoutes } from '../pages/assets/asset-routes.ts';
import { challengeRoutes } from '../pages/challenge/challenge-routes.ts';
import { citeRoutes } from '../pages/cite/cite-routes.ts';
import { completionRoutes } from '../pages/edit/completion-routes.ts';
import { contentFormRoutes } from '../pages/edit/content-form-routes.ts';
import { deleteNodeRoutes } from '../pages/edit/delete-node.tsx';
import { deleteFormRoutes } from '../pages/edit/delete-page.tsx';
import { filesPageRoutes } from '../pages/files/files-page-routes.ts';
import { embedRoutes } from '../pages/item/embed-page.tsx';
import { searchPageRoutes } from '../pages/item/within-page.tsx';
import { bulkConfirmRoutes } from '../pages/manage/bulk-confirm-routes.ts';
import { bulkTermRoutes } from '../pages/manage/bulk-term-routes.ts';
import { changesTableRoutes } from '../pages/manage/changes-table-routes.ts';
import { valuesRoutes } from '../pages/manage/values-routes.ts';
import { collectionRolesRoutes } from '../pages/members/collection-roles-routes.ts';
import { publicationRoutes } from '../pages/members/publication-routes.ts';
import { orderRoutes } from '../pages/order/order-page.tsx';
import { createRenderError, nameInvalid } from '../pages/render-error.ts';
import { restoreRoutes } from '../pages/revisions/restore-routes.ts';
import { siteFileRoutes } from '../pages/site/site-file-routes.ts';
import { sitePageRoutes } from '../pages/site/site-page-routes.tsx';
import { mergeFormRoutes } from '../pages/taxonomy/merge-form-routes.ts';
import { similarTermsRoutes } from '../pages/taxonomy/similar-terms-routes.ts';
import { unusedTermsRoutes } from '../pages/taxonomy/unused-terms-routes.ts';
import { termPreviewRoutes } from '../pages/term/term-preview-page.tsx';
import { uploadPageRoutes } from '../pages/upload/upload-page-routes.ts';
import type { ApiServices } from '../web/api-services.ts';
import { createApp, serve } from '../web/serve.ts';

/** Creates the HTTP handler of the repository. */
export function createApi(api: ApiServices): { readonly handle: Handle } {
  const render = createRenderError(api);
  const app = createApp()
    .use(createErrorPlugin(render, nameInvalid))
    .use(nodeRoutes(api))
    .use(embedRoutes(api))
    .use(mediaRoutes(api))
    .use(termRoutes(api))
    .use(mergeRoutes(api))
    .use(paragraphRoutes(api))
    .use(mediaSourceRoutes(api))
    .use(fileRoutes(api))
    .use(uploadRoutes(api))
    .use(attachRoutes(api))
    .use(uploadPageRoutes(api))
    .use(filesPageRoutes(api))
    .use(downloadRoutes(api))
    .use(imageRoutes(api))
    .use(pageRoutes(api))
    .use(manifestRoutes(api))
    .use(annotationRoutes(api))
    .use(contentSearchRoutes(api))
    .use(activityRoutes(api))
    .use(searchPageRoutes(api))
    .use(viewAsRoutes(api))
    .use(citeRoutes(api))
    .use(oaiRoutes(api))
    .use(counterRoutes(api))
    .use(sitemapRoutes(api))
    .use(feedRoutes(api))
    .use(userRoutes(api))
    .use(entityListRoutes(api))
    .use(listRoutes(api))
    .use(viewRoutes(api))
    .use(configRoutes(api))
    .use(workbenchRoutes(api))
    .use(aliasRoutes(api))
    .use(redirectRoutes(api))
    .use(nodeRevisionRoutes(api))
    .use(mediaRevisionRoutes(api))
    .use(restoreRoutes(api))
    .use(contentFormRoutes(api))
    .use(completionRoutes(api))
    .use(deleteNodeRoutes(api))
    .use(authorityTermRoutes(api))
    .use(reconcileRoutes(api))
    .use(reconcileSuggestRoutes(api))
    .use(termPreviewRoutes(api))
    .use(namedTermRoutes(api))
    .use(deleteFormRoutes(api))
    .use(mergeFormRoutes(api))
    .use(unusedTermsRoutes(api))
    .use(similarTermsRoutes(api))
    .use(publicationRoutes(api))
    .use(collectionRolesRoutes(api))
    .use(accessLinkRoutes(api))
    .use(askRoutes(api))
    .use(bulkConfirmRoutes(api))
    .use(changesTableRoutes(api))
    .use(bulkTermRoutes(api))
    .use(valuesRoutes(api))
    .use(contentActionRoutes(api))
    .use(actionRoutes(api))
    .use(signInRoutes(api))
    .use(sessionRoutes(api))
    .use(challengeRoutes(api))
    .use(passwordRoutes(api))
    .use(resetRoutes(api))
    .use(resetLinkRoutes(api))
    .use(sessionListRoutes(api))
    .use(editRoutes(api))
    .use(cancelRoutes(api))
    .use(mailChangeRoutes(api))
    .use(adminRoutes(api))
    .use(orderRoutes(api))
    .use(tokenRoutes(api))
    .use(settingRoutes(api))
    .use(derivativeRoutes(api))
    .use(derivativeEventRoutes(api))
    .use(derivativeScanRoutes(api))
    .use(operationRoutes(api))
    .use(sitePageRoutes(api))
    .use(searchRoutes(api))
    .use(suggestRoutes(api))
    .use(siteFileRoutes(api))
    .use(assetRoutes(api))
    .use(openapiRoutes(api, (): AnyElysia => app));
  for (const page of api.adminPages) app.use(page.routes(api));
  serve(api, app);
  return { handle: compressing(whenConfirmed(render, (request) => app.handle(request))) };
}
