import type { Pages } from '../api/api-services.ts';
import { cancelPage } from '../pages/account/cancel-page.tsx';
import { confirmMailPage } from '../pages/account/confirm-mail-page.tsx';
import { editAccountPage } from '../pages/account/edit-account-page.tsx';
import { newAccountPage } from '../pages/account/new-account-page.tsx';
import { newPasswordPage } from '../pages/account/new-password-page.tsx';
import { passwordPage } from '../pages/account/password-page.tsx';
import { peoplePage } from '../pages/account/people-page.tsx';
import { resetLinkPage } from '../pages/account/reset-link-page.tsx';
import { resetRequestPage } from '../pages/account/reset-request-page.tsx';
import { sendAgainPage } from '../pages/account/send-again-page.tsx';
import { sessionsPage } from '../pages/account/sessions-page.tsx';
import { signInPage } from '../pages/account/sign-in-page.tsx';
import { signOutPage } from '../pages/account/sign-out-page.tsx';
import { actionPage } from '../pages/action-page.tsx';
import { adminPage } from '../pages/admin/admin-page.tsx';
import { derivativesPage } from '../pages/admin/derivatives-page.tsx';
import { fixityPage } from '../pages/admin/fixity-page.tsx';
import { permissionsPage } from '../pages/admin/permissions-page.tsx';
import { settingsPage } from '../pages/admin/settings-page.tsx';
import { statusPage } from '../pages/admin/status-page.tsx';
import { referenceEntry } from '../pages/cite/reference-entry.ts';
import { errorPage } from '../pages/error-page.tsx';
import { contentFormPage } from '../pages/forms/content-form-page.tsx';
import { deletePage } from '../pages/forms/delete-page.tsx';
import { tableImportPage } from '../pages/imports/table-import-page.tsx';
import { tableImportsPage } from '../pages/imports/table-imports-page.tsx';
import { embedPage } from '../pages/item/embed-page.tsx';
import { itemPage } from '../pages/item/item-page.tsx';
import { withinPage } from '../pages/item/within-page.tsx';
import { accessibilityPage } from '../pages/manage/accessibility-page.tsx';
import { bulkConfirmPage } from '../pages/manage/bulk-confirm-page.tsx';
import { bulkRunPage } from '../pages/manage/bulk-run-page.tsx';
import { bulkRunsPage } from '../pages/manage/bulk-runs-page.tsx';
import { contentListPage } from '../pages/manage/content-list-page.tsx';
import { mediaPage } from '../pages/media/media-page.tsx';
import { orderPage } from '../pages/order/order-page.tsx';
import { comparisonPage } from '../pages/revisions/comparison-page.tsx';
import { revisionPage } from '../pages/revisions/revision-page.tsx';
import { revisionsPage } from '../pages/revisions/revisions-page.tsx';
import { searchPage } from '../pages/search/search-page.tsx';
import { collectionsPage } from '../pages/site/collections-page.tsx';
import { homePage } from '../pages/site/home-page.tsx';
import { vocabulariesPage } from '../pages/taxonomy/vocabularies-page.tsx';
import { vocabularyPage } from '../pages/taxonomy/vocabulary-page.tsx';
import { termPage } from '../pages/term/term-page.tsx';
import { uploadPage } from '../pages/upload/upload-page.tsx';
import { userPage } from '../pages/user/user-page.tsx';

/** The HTML pages for the API. */
export const pages: Pages = {
  node: itemPage,
  embed: embedPage,
  within: withinPage,
  media: mediaPage,
  term: termPage,
  user: userPage,
  citation: referenceEntry,
  revisions: revisionsPage,
  revision: revisionPage,
  comparison: comparisonPage,
  permissions: permissionsPage,
  status: statusPage,
  fixity: fixityPage,
  derivatives: derivativesPage,
  settings: settingsPage,
  tableImports: tableImportsPage,
  tableImport: tableImportPage,
  error: errorPage,
  signIn: signInPage,
  signOut: signOutPage,
  sendAgain: sendAgainPage,
  admin: adminPage,
  contentForm: contentFormPage,
  deleteForm: deletePage,
  vocabularies: vocabulariesPage,
  vocabulary: vocabularyPage,
  password: passwordPage,
  resetRequest: resetRequestPage,
  newPassword: newPasswordPage,
  resetLink: resetLinkPage,
  sessions: sessionsPage,
  people: peoplePage,
  newAccount: newAccountPage,
  editAccount: editAccountPage,
  cancelAccount: cancelPage,
  confirmMail: confirmMailPage,
  contentList: contentListPage,
  accessibility: accessibilityPage,
  bulkConfirm: bulkConfirmPage,
  bulkRun: bulkRunPage,
  bulkRuns: bulkRunsPage,
  action: actionPage,
  home: homePage,
  collections: collectionsPage,
  search: searchPage,
  order: orderPage,
  upload: uploadPage,
};
