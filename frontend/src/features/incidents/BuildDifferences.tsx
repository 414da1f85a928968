import { Box } from '@mantine/core';
import type { FileDifferenceOut, IncidentOut, ProgramDifferenceOut } from '@/api/schema';
import { DataTable } from '@/components/data-table/DataTable';
import { nameSubject } from '@/lib/differences';
import { formatCount } from '@/lib/format';
import classes from './BuildDifferences.module.css';

const SHOWN_CHARACTERS = 12;

/** Shows what Tacho knows about the differences between the builds before and after. */
export function BuildDifferences({ incident }: { incident: IncidentOut }) {
  const { programs, environment } = incident;
  return (
    <>
      {programs.length === 0 && <p className={classes.quiet}>{explainNoPrograms(incident)}</p>}
      <Commits before={incident.commit_before} after={incident.commit_after} />
      {programs.map((program) => (
        <Program key={program.program} program={program} />
      ))}
      {environment.length > 0 ? (
        <DifferenceTable title="Environment" differences={environment} />
      ) : (
        <p className={classes.quiet}>
          Host, kernel, CPUs, toolchains and load generator are the same before and after.
        </p>
      )}
    </>
  );
}

function explainNoPrograms({ kind, changes }: IncidentOut): string {
  const known = changes.some((change) => change.after.image_digest !== null);
  if (!known) return 'The builds before and after were not recorded.';
  if (kind === 'host') return 'The shift does not belong to a build.';
  return 'The build is the same before and after.';
}

function Commits({ before, after }: { before: string | null; after: string | null }) {
  if (before === null || after === null || before === after) return null;
  const [old, fresh] = [before.slice(0, SHOWN_CHARACTERS), after.slice(0, SHOWN_CHARACTERS)];
  return (
    <p className={classes.quiet}>
      The Git commit changed. Compare them with{' '}
      <code>
        git diff {old} {fresh}
      </code>
    </p>
  );
}

function Program({ program }: { program: ProgramDifferenceOut }) {
  const { files, versions } = program;
  return (
    <div className={classes.program}>
      <h3>
        {program.program}: build <code>{program.before.slice(0, SHOWN_CHARACTERS)}</code> →{' '}
        <code>{program.after.slice(0, SHOWN_CHARACTERS)}</code>
      </h3>
      {!program.is_recorded && (
        <p className={classes.quiet}>
          The source of a build was not recorded, so only the digests are known. Builds that are
          measured from now on are recorded.
        </p>
      )}
      {versions.length > 0 && <DifferenceTable title="Versions" differences={versions} />}
      {files.length > 0 && (
        <>
          <Box component="p" m="8px 0 2px" fw={500}>
            {formatCount(files.length, 'file')} changed
          </Box>
          <ul className={classes.files}>
            {files.map((file) => (
              <File key={file.path} file={file} isOpen={files.length === 1} />
            ))}
          </ul>
        </>
      )}
      {program.is_recorded && files.length === 0 && (
        <p className={classes.quiet}>
          No file changed, so the base image or the toolchain of the build did.
        </p>
      )}
    </div>
  );
}

function File({ file, isOpen }: { file: FileDifferenceOut; isOpen: boolean }) {
  const name = (
    <>
      <code>{file.path}</code> <span className={classes.quiet}>{file.change}</span>
    </>
  );
  if (file.diff === null) return <li>{name}</li>;
  return (
    <li>
      <details open={isOpen}>
        <summary>{name}</summary>
        <DiffText diff={file.diff} label={`Difference of ${file.path}`} />
        {file.is_cut && (
          <p className={classes.quiet}>This is only the beginning of the difference.</p>
        )}
      </details>
    </li>
  );
}

interface DifferenceTableProps {
  title: string;
  differences: IncidentOut['environment'];
}

function DifferenceTable({ title, differences }: DifferenceTableProps) {
  return (
    <DataTable
      label={title}
      rows={differences}
      rowKey={({ subject }) => subject}
      density="compact"
      layout="fit"
      columns={[
        {
          id: 'subject',
          header: title,
          isRowHeader: true,
          cell: ({ subject }) => nameSubject(subject),
        },
        { header: 'Before', wraps: true, cell: ({ before }) => before },
        { header: 'After', wraps: true, cell: ({ after }) => after },
      ]}
    />
  );
}

/** Draws a unified diff: added and removed lines differ in colour and in their sign. */
function DiffText({ diff, label }: { diff: string; label: string }) {
  return (
    <pre className={classes.diff} role="group" tabIndex={0} aria-label={label}>
      {diff.split('\n').map((line, index) => (
        <span key={index} className={classes.line} data-kind={kindOf(line)}>
          {line}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

function kindOf(line: string): string | undefined {
  if (line.startsWith('---') || line.startsWith('+++')) return 'head';
  if (line.startsWith('@@')) return 'place';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : undefined;
}
