/** The paths of accounts, passwords and sessions: a part of `paths`. */
export const ACCOUNT_PATHS = {
  userList: '/user',
  user: '/user/:user',
  userEdit: '/user/:user/edit',
  userCancel: '/user/:user/cancel',
  userSessions: '/user/:user/sessions',
  userResetLink: '/user/:user/reset-link',
  users: '/admin/people',
  userAdd: '/admin/people/create',
  password: '/user/password',
  passwordRequest: '/user/password/request',
  passwordReset: '/user/reset/:token',
  mailConfirm: '/user/mail/:token',
  login: '/user/login',
  logout: '/user/logout',
  loginStatus: '/user/login_status',
  sessionToken: '/session/token',
} as const;
