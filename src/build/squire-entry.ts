export { default as Squire } from 'squire-rte';
