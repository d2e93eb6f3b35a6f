#include "renderer/state/clients.h"

#include <memory>

#include "renderer/state/host_state.h"

namespace tgsi2spv::host {

Client* find_client(HostState& host, uint32_t context) {
    const auto at = host.clients.find(context);
    return at == host.clients.end() || context == 0 ? nullptr : &at->second;
}

Client& add_client(HostState& host, uint32_t context) {
    Client& client = host.clients[context];
    client.contexts[0] = std::make_unique<SubContext>(host.budget);
    client.current = client.contexts[0].get();
    return client;
}

Problem create_context(HostState& host, uint32_t context) {
    constexpr size_t kMaxClients = 1024;
    if (context == 0) return Problem::HandleZero;
    if (host.clients.contains(context)) return {Problem::HandleInUse, context};
    if (host.clients.size() >= kMaxClients) return {Problem::Budget, host.clients.size(), kMaxClients};
    if (!host.budget.has_room(SubContext::kBytes)) return {Problem::Budget, host.budget.used(), host.budget.limit()};
    add_client(host, context);
    return Problem::None;
}

Problem attach(HostState& host, uint32_t context, uint32_t handle) {
    Client* const client = find_client(host, context);
    if (client == nullptr) return {Problem::NoContext, context};
    if (!host.resources.contains(handle)) return {Problem::NoResource, handle};
    constexpr uint64_t kBytes = 64;
    if (!host.budget.has_room(kBytes)) return {Problem::Budget, host.budget.used(), host.budget.limit()};
    client->attached.try_emplace(handle, host.budget, kBytes);
    return Problem::None;
}

Problem detach(HostState& host, uint32_t context, uint32_t handle) {
    Client* const client = find_client(host, context);
    if (client == nullptr) return {Problem::NoContext, context};
    if (client->attached.erase(handle) == 0) return {Problem::NoResource, handle};
    return Problem::None;
}

}  // namespace tgsi2spv::host
