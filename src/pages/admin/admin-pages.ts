import type { AdminPage } from '../../web/api-services.ts';
import { accessAdminPage } from '../access/access-report-routes.ts';
import { peopleAdminPage } from '../account/people-routes.ts';
import { accessRequestsAdminPage } from '../asking/request-routes.ts';
import { importsAdminPage } from '../imports/finished-import-routes.ts';
import { tableImportsAdminPage } from '../imports/import-routes.ts';
import { accessibilityAdminPage } from '../manage/accessibility-routes.ts';
import { bulkRunsAdminPage } from '../manage/bulk-run-routes.ts';
import { mediaAdminPage, nodesAdminPage } from '../manage/content-list-routes.ts';
import { tasksAdminPage } from '../tasks/tasks-page.tsx';
import { vocabulariesAdminPage } from '../taxonomy/vocabulary-routes.tsx';
import { usageAdminPage } from '../usage/usage-routes.ts';
import { derivativesAdminPage } from './derivatives-form.ts';
import { fixityAdminPage } from './fixity-routes.ts';
import { permissionsAdminPage } from './permissions-page.tsx';
import { settingsAdminPage } from './settings-page.tsx';
import { siteSettingsAdminPage } from './site-settings-routes.ts';
import { statusAdminPage } from './status-page.tsx';
import { trafficAdminPage } from './traffic-page.tsx';

/** The pages for the management of the repository, in the order of `/admin` and of the tabs. */
export const ADMIN_PAGES: readonly AdminPage[] = [
  vocabulariesAdminPage,
  nodesAdminPage,
  mediaAdminPage,
  accessRequestsAdminPage,
  bulkRunsAdminPage,
  accessAdminPage,
  accessibilityAdminPage,
  tableImportsAdminPage,
  importsAdminPage,
  peopleAdminPage,
  permissionsAdminPage,
  siteSettingsAdminPage,
  settingsAdminPage,
  statusAdminPage,
  usageAdminPage,
  derivativesAdminPage,
  fixityAdminPage,
  trafficAdminPage,
  tasksAdminPage,
];
