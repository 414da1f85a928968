import { Checkbox } from '@mantine/core';
import type { ScenarioOut } from '@/api/schema';
import { Section } from '@/components/Page';
import ui from '@/components/ui.module.css';
import classes from './ScenarioChoice.module.css';

interface ScenarioChoiceProps {
  scenarios: readonly ScenarioOut[];
  chosen: readonly string[];
  /** Number of frameworks that can run a scenario. */
  countAble: (scenario: ScenarioOut) => number;
  onToggle: (scenario: ScenarioOut) => void;
}

/** Lists the scenarios to tick. */
export function ScenarioChoice({ scenarios, chosen, countAble, onToggle }: ScenarioChoiceProps) {
  return (
    <Section
      title="1. Scenarios"
      hint="A scenario defines the work of the services for each request."
    >
      <ul className={classes.list}>
        {scenarios.map((scenario) => {
          const checked = chosen.includes(scenario.slug);
          const able = countAble(scenario);
          return (
            <li key={scenario.slug}>
              <label className={classes.scenario} data-checked={checked}>
                <Checkbox
                  className={classes.box}
                  aria-label={scenario.name}
                  checked={checked}
                  onChange={() => {
                    onToggle(scenario);
                  }}
                />
                <span className={classes.text}>
                  <span className={classes.name}>
                    {scenario.name}
                    <span className={ui.small}>
                      {able} {able === 1 ? 'framework' : 'frameworks'}
                    </span>
                  </span>
                  <span className={classes.description}>{scenario.description}</span>
                </span>
              </label>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
