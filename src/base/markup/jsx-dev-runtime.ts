export { Fragment, type JSX, jsx, jsxDEV, jsxs } from './jsx-runtime.ts';
