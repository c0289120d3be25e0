import type { AnyElysia } from 'elysia';
import { compressing } from '../http/compression.ts';
import { createErrorPlugin, type Handle, whenConfirmed } from '../http/error-plugin.ts';
import { cancelRoutes } from './accounts/cancel-routes.ts';
import { editRoutes } from './accounts/edit-routes.ts';
import { mailChangeRoutes } from './accounts/mail-change-routes.ts';
import { passwordRoutes } from './accounts/password-routes.ts';
import { peopleRoutes } from './accounts/people-routes.ts';
import { resetLinkRoutes } from './accounts/reset-link-routes.ts';
import { resetRoutes } from './accounts/reset-routes.ts';
import { sessionListRoutes } from './accounts/session-list-routes.ts';
import { actionRoutes } from './actions/action-routes.ts';
import { contentActionRoutes } from './actions/content-action-routes.ts';
import { adminRoutes } from './admin/admin-routes.ts';
import { fixityRoutes } from './admin/fixity-routes.ts';
import { reportRoutes } from './admin/report-routes.ts';
import { aliasRoutes } from './aliases/alias-routes.ts';
import type { ApiServices } from './api-services.ts';
import { configRoutes } from './config/config-routes.ts';
import { citeRoutes } from './content/cite-routes.ts';
import { mediaRoutes, nodeRoutes, paragraphRoutes, termRoutes } from './content/content-routes.ts';
import { embedRoutes } from './content/embed-routes.ts';
import { derivativeEventRoutes } from './derivatives/derivative-event-routes.ts';
import { derivativeRoutes } from './derivatives/derivative-routes.ts';
import { derivativeScanRoutes } from './derivatives/derivative-scan-routes.ts';
import { downloadRoutes } from './files/download-routes.ts';
import { fileRoutes } from './files/file-routes.ts';
import { mediaSourceRoutes } from './files/media-source-routes.ts';
import { pageRoutes } from './files/page-routes.ts';
import { completionRoutes } from './forms/completion-routes.ts';
import { contentFormRoutes } from './forms/content-form-routes.ts';
import { deleteFormRoutes } from './forms/delete-form-routes.ts';
import { feedRoutes } from './harvest/feed-routes.ts';
import { oaiRoutes } from './harvest/oai-routes.ts';
import { sitemapRoutes } from './harvest/sitemap-routes.ts';
import { activityRoutes } from './iiif/activity-routes.ts';
import { annotationRoutes } from './iiif/annotation-routes.ts';
import { contentSearchRoutes } from './iiif/content-search-routes.ts';
import { imageRoutes } from './iiif/image-routes.ts';
import { manifestRoutes } from './iiif/manifest-routes.ts';
import { searchPageRoutes } from './iiif/search-page-routes.ts';
import { importDownloadRoutes } from './imports/import-download-routes.ts';
import { importRoutes } from './imports/import-routes.ts';
import { entityListRoutes } from './lists/entity-list-routes.ts';
import { listRoutes } from './lists/list-routes.ts';
import { accessibilityRoutes } from './manage/accessibility-routes.ts';
import { bulkConfirmRoutes } from './manage/bulk-confirm-routes.ts';
import { bulkRunRoutes } from './manage/bulk-run-routes.ts';
import { bulkTermRoutes } from './manage/bulk-term-routes.ts';
import { contentListRoutes } from './manage/content-list-routes.ts';
import { openapiRoutes } from './openapi/openapi-routes.ts';
import { operationRoutes } from './operation/operation-routes.ts';
import { orderRoutes } from './order/order-routes.ts';
import { redirectRoutes } from './redirects/redirect-routes.ts';
import { createRenderError, nameInvalid } from './render-error.ts';
import { mediaRevisionRoutes, nodeRevisionRoutes } from './revisions/revision-routes.ts';
import { searchRoutes } from './search/search-routes.ts';
import { suggestRoutes } from './search/suggest-routes.ts';
import { createApp, serve } from './serve.ts';
import { sessionRoutes } from './sessions/session-routes.ts';
import { settingRoutes } from './settings/setting-routes.ts';
import { assetRoutes } from './site/asset-routes.ts';
import { siteFileRoutes } from './site/site-file-routes.ts';
import { sitePageRoutes } from './site/site-page-routes.ts';
import { vocabularyRoutes } from './taxonomy/vocabulary-routes.ts';
import { tokenRoutes } from './tokens/token-routes.ts';
import { attachRoutes } from './uploads/attach-routes.ts';
import { uploadPageRoutes } from './uploads/upload-page-routes.ts';
import { uploadRoutes } from './uploads/upload-routes.ts';
import { userRoutes } from './users/user-routes.ts';
import { viewRoutes } from './views/view-routes.ts';
import { workbenchRoutes } from './workbench/workbench-routes.ts';

/** Creates the HTTP handler of the repository. */
export function createApi(api: ApiServices): { readonly handle: Handle } {
  const render = createRenderError(api);
  const app = createApp()
    .use(createErrorPlugin(render, nameInvalid))
    .use(nodeRoutes(api))
    .use(embedRoutes(api))
    .use(mediaRoutes(api))
    .use(termRoutes(api))
    .use(paragraphRoutes(api))
    .use(mediaSourceRoutes(api))
    .use(fileRoutes(api))
    .use(uploadRoutes(api))
    .use(attachRoutes(api))
    .use(uploadPageRoutes(api))
    .use(downloadRoutes(api))
    .use(imageRoutes(api))
    .use(pageRoutes(api))
    .use(manifestRoutes(api))
    .use(annotationRoutes(api))
    .use(contentSearchRoutes(api))
    .use(activityRoutes(api))
    .use(searchPageRoutes(api))
    .use(citeRoutes(api))
    .use(oaiRoutes(api))
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
    .use(contentFormRoutes(api))
    .use(completionRoutes(api))
    .use(deleteFormRoutes(api))
    .use(contentListRoutes(api))
    .use(bulkConfirmRoutes(api))
    .use(bulkTermRoutes(api))
    .use(bulkRunRoutes(api))
    .use(accessibilityRoutes(api))
    .use(contentActionRoutes(api))
    .use(actionRoutes(api))
    .use(sessionRoutes(api))
    .use(passwordRoutes(api))
    .use(resetRoutes(api))
    .use(resetLinkRoutes(api))
    .use(sessionListRoutes(api))
    .use(peopleRoutes(api))
    .use(editRoutes(api))
    .use(cancelRoutes(api))
    .use(mailChangeRoutes(api))
    .use(adminRoutes(api))
    .use(vocabularyRoutes(api))
    .use(orderRoutes(api))
    .use(tokenRoutes(api))
    .use(settingRoutes(api))
    .use(reportRoutes(api))
    .use(fixityRoutes(api))
    .use(importRoutes(api))
    .use(importDownloadRoutes(api))
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
  serve(api, app);
  return { handle: compressing(whenConfirmed(render, (request) => app.handle(request))) };
}
