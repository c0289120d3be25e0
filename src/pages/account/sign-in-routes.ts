import { paths } from '../../paths.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { NOT_BASIC } from '../../web/begin-session.ts';
import { resource } from '../../web/check.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { showSignIn, showSignOut } from './sign-in-form.ts';

/** The routes of the pages to sign in and to sign out. */
export const signInRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.login, ({ call }) => showSignIn(call), {
      check: { authentication: NOT_BASIC, formats: PAGE_FORMATS },
    })
    .get(paths.logout, ({ call }) => showSignOut(call), {
      check: { authentication: NOT_BASIC, formats: PAGE_FORMATS },
    });
