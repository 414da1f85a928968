import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageHeader, Section } from '@/components/Page';
import { Loaded } from '@/components/States';
import { FirstGuard } from '@/features/guards/FirstGuard';
import { GuardList } from '@/features/guards/GuardList';
import { OpenGuards } from '@/features/guards/OpenGuards';
import { guardedServicesQuery } from '@/features/guards/query';
import { ServiceHistory } from '@/features/guards/ServiceHistory';
import { ServiceList } from '@/features/guards/ServiceList';

const route = getRouteApi('/guards');

/** Own services, and the newest guards. */
export function GuardsPage(): ReactNode {
  const { service } = route.useSearch();
  const query = useQuery(guardedServicesQuery());
  return (
    <>
      <PageHeader
        title="Own services"
        meta="Did a change make your own service slower?"
        actions={
          // The explanation of an empty list has the link, too.
          query.data !== undefined &&
          query.data.items.length > 0 && (
            <Link to="/docs/$" params={{ _splat: 'user-guide/own-service' }}>
              How to guard a service
            </Link>
          )
        }
      />
      <OpenGuards />
      <Loaded query={query}>
        {({ items: services }) =>
          services.length === 0 ? (
            <FirstGuard />
          ) : (
            <>
              {service === undefined && (
                <Section title="Services" hint="With their newest verdict.">
                  <ServiceList services={services} />
                </Section>
              )}
              {service !== undefined && <ServiceHistory service={service} />}
              <Section
                title={service === undefined ? 'Newest guards' : `Guards of ${service}`}
                actions={
                  service !== undefined && (
                    <Link to="/guards" search={{}}>
                      All services
                    </Link>
                  )
                }
              >
                <GuardList service={service} />
              </Section>
            </>
          )
        }
      </Loaded>
    </>
  );
}
