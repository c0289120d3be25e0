export { solveChallenge } from 'altcha-lib';
export { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2';
