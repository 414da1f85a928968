/** Tacho in a shell: where `make up` puts it, as the README has it, from the folder of the clone. */
export const TACHO = '.venv/bin/tacho';
