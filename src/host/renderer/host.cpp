#include "renderer/host.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "renderer/draw/draw.h"
#include "renderer/move/copy.h"
#include "renderer/move/layout.h"
#include "renderer/move/transfer.h"
#include "renderer/record/condition.h"
#include "renderer/record/dummies.h"
#include "renderer/record/framebuffer.h"
#include "renderer/record/query.h"
#include "renderer/record/stream_out.h"
#include "renderer/state/bind.h"
#include "renderer/state/caps.h"
#include "renderer/state/clients.h"
#include "renderer/state/resource.h"
#include "renderer/state/stats.h"
#include "virgl/decode.h"
#include "vk/names.h"

namespace tgsi2spv::host {

Host::Host(std::unique_ptr<vk::Device> the_device, const HostOptions& the_options)
    : HostDrawer(std::move(the_device), the_options), complete(make_dummy_buffers(*this)) {
    if (options.stats) start_stats(stats);
    if (options.sync) stream.order_all();
    client = &add_client(*this, 0);
    client->reaches_all = true;
    current = client->current;
}

Host::~Host() {
    stream.finish();
    tell_stats(*this, true);
    pipeline_cache.save();
}

namespace {

/// Words of CONST[0] that are kept, as the device reads them: the limit for guests, and more (set_buffer_limits() of
/// caps).
constexpr size_t kMostConstants = 16384;

// Clients and sub-contexts take turns with the one stream of work.

/// The next draws belong to this sub-context; another one's scope and clears end before.
void make_current(Host& host, SubContext& context) {
    if (&context == host.current) return;
    if (!or_reclaim(host, [&] { return flush_clears(host); })) {
        host.pending.bits = 0;  // they are of this framebuffer
        log_line("no memory for a clear");
    }
    host.stream.end_scope();
    host.current = &context;
}

/// Forgets a sub-context that will be destroyed; `next` becomes current if it was.
void leave(Host& host, SubContext& context, SubContext& next) {
    if (host.current == &context) make_current(host, next);
    if (host.recorded.bindings == &context) host.recorded = {};
    host.missing.forget(context);
}

Problem destroy_context(Host& host, uint32_t context) {
    const Client* const client = find_client(host, context);
    if (client == nullptr) return {Problem::NoContext, context};
    for (const auto& [id, sub] : client->contexts) leave(host, *sub, *host.clients.at(0).current);
    host.clients.erase(context);
    // The next client may have the same address.
    host.emulation.owner = host.dummies.owner = nullptr;
    host.fetched = {};
    if (host.dummies.stores != nullptr) host.shader_ids = {.next = host.shader_ids.next};
    return Problem::None;
}

/// While it lives, `client` is served; afterwards context 0.
class Serving {
  public:
    Serving(Host& host, Client& client) : host_(host) {
        host_.client = &client;
        clear_stores(host_);
        make_current(host_, *client.current);
    }
    ~Serving() { host_.client = &host_.clients.at(0); }
    Serving(const Serving&) = delete;
    Serving& operator=(const Serving&) = delete;

  private:
    Host& host_;
};

/// Executes one command. Each overload is one command's meaning; those of objects and draws are in their files.
struct Executor {
    Host& host;
    SubContext& c;

    Problem operator()(const virgl::Ignored&) { return Problem::None; }
    Problem operator()(const virgl::StringMarker& command) {
        if (!host.device->has_names()) return Problem::None;
        const auto* text = reinterpret_cast<const char*>(command.text.data());
        vk::insert_label(*host.device, host.stream.commands_in_scope(), {text, command.bytes});
        return Problem::None;
    }
    template <class Create>
    requires requires(Host& h, SubContext& s, const Create& command) { create(h, s, command); }
    Problem operator()(const Create& command) {
        deactivate(command.handle);
        return create(host, c, command);
    }
    /// Before an object goes, or another one takes its handle. (Bound objects of other kinds stay alive.)
    void deactivate(uint32_t handle) {
        const auto at = c.objects.find(handle);
        if (at == c.objects.end()) return;
        if (const auto* query = std::get_if<std::shared_ptr<Query>>(&at->second); query != nullptr)
            destroy_query(host, c, **query);
        if (const auto* target = std::get_if<std::shared_ptr<StreamoutTarget>>(&at->second); target != nullptr)
            destroy_streamout_target(c, **target);
    }
    template <class Bind>
    requires requires(Host& h, SubContext& s, const Bind& command) { bind(h, s, command); }
    Problem operator()(const Bind& command) { return bind(host, c, command); }
    Problem operator()(const virgl::DestroyObject& command) {
        deactivate(command.handle);
        if (const auto at = c.objects.find(command.handle); at != c.objects.end()) c.objects.erase(at);
        return Problem::None;
    }
    Problem operator()(const virgl::SetViewports& command) {
        std::copy_n(command.viewports.begin(), command.count, c.viewports.begin() + command.start);
        c.mark_dirty(Dirty::Viewports);
        return Problem::None;
    }
    Problem operator()(const virgl::SetScissors& command) {
        std::copy_n(command.scissors.begin(), command.count, c.scissors.begin() + command.start);
        c.mark_dirty(Dirty::Scissors);
        return Problem::None;
    }
    Problem operator()(const virgl::SetConstantBuffer& command) {
        StageBindings& stage = c.stage(command.stage);
        const size_t most = host.device->report().limits.maxUniformBufferRange / sizeof(uint32_t);
        const virgl::Words data = command.data.first(std::min({command.data.size(), most, kMostConstants}));
        // Mesa sends them again when any state changes that could change them.
        if (stage.uniforms[0].resource == nullptr && std::ranges::equal(stage.constants, data)) return Problem::None;
        stage.constants.assign(data.begin(), data.end());
        stage.uniforms[0] = {};
        c.changes.mark(command.stage, Bound::Constants);
        return Problem::None;
    }
    template <class Value>
    Problem set(Value& bound, const Value& value, Dirty part) {
        bound = value;
        c.mark_dirty(part);
        return Problem::None;
    }
    Problem operator()(const virgl::SetStencilRef& command) { return set(c.stencil_ref, command, Dirty::StencilRef); }
    Problem operator()(const virgl::SetBlendColor& command) {
        return set(c.blend_color, command.color, Dirty::BlendColor);
    }
    Problem operator()(const virgl::SetPolygonStipple& command) {
        std::ranges::copy(command.rows, c.stipple.begin());
        c.mark_dirty(Dirty::StateBuffer);
        return Problem::None;
    }
    Problem operator()(const virgl::SetClipState& command) {
        return set(c.clip_planes, command.planes, Dirty::StateBuffer);
    }
    Problem operator()(const virgl::SetSampleMask& command) {
        return set(c.sample_mask, command.mask, Dirty::SampleMask);
    }
    Problem operator()(const virgl::SetMinSamples& command) {
        return set(c.min_samples, command.count, Dirty::SampleMask);
    }
    Problem operator()(const virgl::SetTessState& command) { return set(c.tess, command, Dirty::Tessellation); }
    Problem operator()(const virgl::Clear& command) {
        return is_skipped(host, c) ? Problem::None : clear(host, c, command);
    }
    Problem operator()(const virgl::ClearSurface& command) {
        return command.obey_condition && is_skipped(host, c) ? Problem::None : clear_surface(host, c, command);
    }
    Problem operator()(const virgl::ClearTexture& command) { return clear_texture(host, command); }
    Problem operator()(const virgl::Draw& command) { return draw(host, c, command); }
    Problem operator()(const virgl::LaunchGrid& command) { return launch_grid(host, c, command); }
    Problem operator()(const virgl::CopyRegion& command) { return copy_region(host, command); }
    Problem operator()(const virgl::Blit& command) {
        return command.obey_condition && is_skipped(host, c) ? Problem::None : blit(host, command);
    }
    Problem operator()(const virgl::Transfer& command) { return transfer(host, command); }
    Problem operator()(const virgl::CopyTransfer& command) { return transfer(host, command); }
    Problem operator()(const virgl::InlineWrite& command) { return transfer(host, command); }
    Problem operator()(const virgl::BeginQuery& command) { return begin_query(host, c, command); }
    Problem operator()(const virgl::EndQuery& command) { return end_query(host, c, command); }
    Problem operator()(const virgl::GetQueryResult& command) { return get_query_result(host, c, command); }
    Problem operator()(const virgl::GetQueryResultQbo& command) { return get_query_result(host, c, command); }
    Problem operator()(const virgl::SetSubCtx& command) {
        const auto at = host.client->contexts.find(command.id);
        if (at == host.client->contexts.end()) return {Problem::NoContext, command.id};
        host.client->current = at->second.get();
        make_current(host, *host.client->current);
        return Problem::None;
    }
    Problem operator()(const virgl::CreateSubCtx& command) {
        if (host.client->contexts.contains(command.id)) return Problem::None;
        constexpr size_t kMost = 256;
        if (host.client->contexts.size() >= kMost) return {Problem::Budget, host.client->contexts.size(), kMost};
        if (!host.budget.has_room(SubContext::kBytes))
            return {Problem::Budget, host.budget.used(), host.budget.limit()};
        host.client->contexts.emplace(command.id, std::make_unique<SubContext>(host.budget));
        return Problem::None;
    }
    Problem operator()(const virgl::DestroySubCtx& command) {
        Client& client = *host.client;
        const auto at = client.contexts.find(command.id);
        if (at == client.contexts.end() || command.id == 0) return {Problem::NoContext, command.id};
        if (at->second.get() == client.current) client.current = client.contexts[0].get();
        leave(host, *at->second, *client.current);
        client.contexts.erase(at);
        return Problem::None;
    }
    Problem operator()(const virgl::TextureBarrier&) {
        if (!flush_clears(host)) return Problem::NoMemory;  // FRAG may sample its target next
        host.stream.end_scope();
        return Problem::None;
    }
    Problem operator()(const virgl::MemoryBarrier&) {
        host.stream.end_scope();
        return Problem::None;
    }
    Problem operator()(const virgl::DescribeBuffer& command) { return describe_buffer(host, command); }
};

/// Commands of several parts, each of which tries again by itself where memory is short.
template <class Command>
constexpr bool kHasParts = std::is_same_v<Command, virgl::Draw> || std::is_same_v<Command, virgl::Blit> ||
                           std::is_same_v<Command, virgl::CopyRegion> || std::is_same_v<Command, virgl::ClearTexture>;

Problem execute_command(Host& host, const virgl::Command& command) {
    const SubContext& context = *host.current;
    if (host.missing.draws_without(context, command)) return Problem::NoMemory;
    const Problem problem = std::visit(
        [&]<class Command>(const Command& c) -> Problem {
            const auto execute = [&] { return Executor{host, *host.current}(c); };
            if constexpr (kHasParts<Command>) return execute();
            const Problem done = or_reclaim(host, execute);
            // An object without room ends the program, since later commands name it. Shaders have waited by themselves.
            constexpr bool kWaits = !std::is_same_v<Command, virgl::CreateShader>;
            return kWaits && done == Problem::Budget && reclaim(host) ? execute() : done;
        },
        command);
    return host.missing.take(context, command, problem);
}

/// Commands of a stream that are skipped: their program is right, so it goes on.
struct Skipped {
    size_t without_memory = 0, unsupported = 0;
    uint32_t first_unsupported = 0;  ///< the command's number

    /// False: the program is wrong.
    [[nodiscard]] bool add(uint32_t command, const Problem& problem) {
        switch (status_of(problem)) {
            case vk::Status::NoMemory:
                // GL_OUT_OF_MEMORY, for which the protocol has no word. OpenGL leaves the command's effect undefined.
                without_memory++;
                return true;
            case vk::Status::Unsupported:
                if (unsupported++ == 0) first_unsupported = command;
                return true;
            default:
                return false;
        }
    }
    void tell() const {
        if (without_memory != 0) log_line(fmt::format("memory is short: {} commands are skipped", without_memory));
        if (unsupported != 0)
            log_line(fmt::format("command {} is not supported here: {} commands are skipped", first_unsupported,
                                 unsupported));
    }
};

class VulkanRenderer final : public virgl::SharedRenderer {
  public:
    VulkanRenderer(std::unique_ptr<vulkan::Instance> instance, std::unique_ptr<vk::Device> device,
                   const HostOptions& options)
        : instance_(std::move(instance)),
          caps_(make_caps(offers_of(*device), options.memory_limit)),
          host_(std::move(device), options) {}

    const virgl::CapsV2& caps() const override { return caps_; }
    bool charge(int64_t bytes) override {
        const bool room = bytes <= 0 || host_.budget.has_room(static_cast<uint64_t>(bytes));
        if (room) host_.budget.add(static_cast<uint64_t>(bytes));
        return room;
    }

    virgl::Outcome create_resource(const virgl::ResourceRequest& request,
                                   std::shared_ptr<virgl::SharedMemory> memory) override {
        const Problem problem = host::create_resource(host_, request, std::move(memory));
        host_.missing.set_resource(request.handle, problem);
        return outcome("RESOURCE_CREATE", problem);
    }
    virgl::Outcome destroy_resource(uint32_t handle) override {
        for (auto& [context, client] : host_.clients) client.attached.erase(handle);
        return outcome("RESOURCE_UNREF",
                       host_.resources.erase(handle) == 0 ? Problem(Problem::NoResource, handle) : Problem::None);
    }
    bool maps(const std::shared_ptr<virgl::SharedMemory>& memory) override { return host::maps(host_, memory); }
    virgl::Outcome create_mapped(uint32_t handle, uint64_t number,
                                 std::shared_ptr<virgl::SharedMemory> memory) override {
        const Problem problem = host::create_mapped(host_, handle, number, std::move(memory));
        host_.missing.set_resource(handle, problem);
        return outcome("RESOURCE_CREATE_BLOB", problem);
    }
    virgl::Outcome set_memory(uint32_t handle, std::shared_ptr<virgl::SharedMemory> memory) override {
        return outcome_of("ATTACH_BACKING", handle, [&](Resource& resource) -> Problem {
            resource.memory = std::move(memory);
            resource.shared.reset();
            return Problem::None;
        });
    }
    virgl::Outcome create_context(uint32_t context) override {
        return outcome("CTX_CREATE", host::create_context(host_, context));
    }
    virgl::Outcome destroy_context(uint32_t context) override {
        return outcome("CTX_DESTROY", host::destroy_context(host_, context));
    }
    virgl::Outcome attach(uint32_t context, uint32_t handle) override {
        return outcome("CTX_ATTACH_RESOURCE", host::attach(host_, context, handle));
    }
    virgl::Outcome detach(uint32_t context, uint32_t handle) override {
        return outcome("CTX_DETACH_RESOURCE", host::detach(host_, context, handle));
    }
    virgl::Outcome submit(virgl::Words words) override { return submit(0, words); }
    virgl::Outcome submit(uint32_t context, virgl::Words words) override;
    virgl::Outcome write(const virgl::TransferRequest& request, std::span<const std::byte> data) override {
        return outcome_of("TRANSFER_PUT", request.handle,
                          [&](Resource& resource) { return write_box(host_, resource, request, data); });
    }
    virgl::Outcome read(const virgl::TransferRequest& request, std::span<std::byte> data) override {
        auto memory = std::make_shared<virgl::SharedMemory>();
        memory->bytes = data;
        const virgl::Outcome done = read_into(request, std::move(memory), 0);
        host_.stream.wait(host_.stream.current());
        return failed() ? outcome("TRANSFER_GET", Problem::None) : done;
    }
    virgl::Outcome read_into(const virgl::TransferRequest& request, std::shared_ptr<virgl::SharedMemory> memory,
                             uint64_t offset) override {
        return outcome_of("TRANSFER_GET", request.handle, [&](Resource& resource) {
            return read_box(host_, resource, request, std::move(memory), offset);
        });
    }
    virgl::Outcome write_from_memory(const virgl::TransferRequest& request, uint64_t offset) override {
        return through_memory("TRANSFER_PUT2", request, offset, true);
    }
    virgl::Outcome read_to_memory(const virgl::TransferRequest& request, uint64_t offset) override {
        return through_memory("TRANSFER_GET2", request, offset, false);
    }
    bool busy(uint32_t handle, bool wait) override;
    uint64_t fence() override {
        host_.stream.submit();
        return host_.stream.current() - 1;
    }
    bool passed(uint64_t fence) override { return host_.stream.done(fence); }
    bool has_room() override { return host_.stream.has_room(); }
    bool failed() const override { return host_.device->failed(); }
    bool complete() const { return host_.complete && !failed(); }

  private:
    /// `use` of a resource.
    template <class Use>
    virgl::Outcome outcome_of(const char* what, uint32_t handle, const Use& use) {
        const auto resource = host_.find_resource(handle);
        return outcome(what, resource == nullptr ? Problem(Problem::NoResource, handle) : use(*resource));
    }
    /// Executes a client's commands, up to the first that is refused.
    virgl::Outcome execute(Client& client, virgl::Words words);
    virgl::Outcome execute_timed(Client& client, virgl::Words words);
    virgl::Outcome outcome(const char* what, Problem problem) {
        report_messages();
        if (failed()) return virgl::Outcome::Lost;
        if (problem == Problem::None) return virgl::Outcome::Done;
        log_line(fmt::format("{}: {}", what, describe(problem)));
        return virgl::Outcome::Refused;
    }
    virgl::Outcome through_memory(const char* what, const virgl::TransferRequest& request, uint64_t offset, bool put) {
        return outcome_of(what, request.handle, [&](Resource& resource) -> Problem {
            if (resource.memory == nullptr) return {Problem::NoSharedMemory, request.handle};
            return put ? write_box(host_, resource, request, *resource.memory, offset)
                       : read_box(host_, resource, request, resource.memory, offset);
        });
    }
    void report_messages() {
        for (const std::string& failure : host_.device->take_failures()) log_line(failure);
        if (host_.options.validate)
            for (const std::string& message : instance_->take_messages()) log_line("validation: " + message);
    }

    std::unique_ptr<vulkan::Instance> instance_;
    virgl::CapsV2 caps_;
    Host host_;
};

virgl::Outcome VulkanRenderer::submit(uint32_t context, virgl::Words words) {
    const auto found = host_.clients.find(context);
    if (found == host_.clients.end()) return outcome("SUBMIT_CMD", {Problem::NoContext, context});
    Client& client = found->second;
    if (client.failed) return failed() ? virgl::Outcome::Lost : virgl::Outcome::Refused;
    return host_.stats.on ? execute_timed(client, words) : execute(client, words);
}

/// A clock for each command would cost as much as decoding it: all are decoded once more, on their own.
virgl::Outcome VulkanRenderer::execute_timed(Client& client, virgl::Words words) {
    Counts& counts = host_.stats.counts;
    const auto start = thread_time(), compile = counts.compile;
    for (size_t position = 0; position < words.size() && virgl::decode_command(words, position);) continue;
    const auto decoded = thread_time();
    const virgl::Outcome done = execute(client, words);
    const auto decode = decoded - start;
    counts.decode += decode;
    counts.record += thread_time() - decoded - decode - (counts.compile - compile);
    tell_stats(host_);
    return done;
}

virgl::Outcome VulkanRenderer::execute(Client& client, virgl::Words words) {
    const Serving serving(host_, client);
    Skipped skipped;
    for (size_t position = 0; position < words.size();) {
        const size_t start = position;
        const auto command = virgl::decode_command(words, position);
        if (!command) {
            log_line(virgl::describe(command.error()));
            client.failed = true;
            return virgl::Outcome::Refused;
        }
        const Problem problem = execute_command(host_, *command);
        if (host_.stream.is_long()) host_.stream.submit();
        if (problem == Problem::None) continue;
        const uint32_t number = words[start] & 0xff;
        if (failed() || !skipped.add(number, problem)) {
            client.failed = true;
            return outcome(fmt::format("command {} at word {}", number, start).c_str(), problem);
        }
    }
    host_.stream.submit();
    skipped.tell();
    return outcome("SUBMIT_CMD", Problem::None);
}

bool VulkanRenderer::busy(uint32_t handle, bool wait) {
    const auto resource = host_.find_resource(handle);
    if (resource == nullptr) return false;
    uint64_t batch = resource->busy_until;
    // A guest reads and writes a mapped buffer without transfers.
    const bool mapped = resource->buffer != nullptr && resource->buffer->is_imported();
    if (!wait || mapped) {
        if (resource->buffer != nullptr) batch = std::max(batch, resource->buffer->uses.last_batch);
        if (resource->image != nullptr) batch = std::max(batch, resource->image->uses.last_batch);
    }
    if (batch >= host_.stream.current()) host_.stream.submit();
    if (!wait) return !host_.stream.done(batch);
    host_.stream.wait(batch);
    return false;
}

}  // namespace

tl::expected<std::unique_ptr<virgl::SharedRenderer>, std::string> make_renderer(const HostOptions& options) {
    vulkan::InstanceOptions how{
        .validation = options.validate, .synchronization = options.validate, .names = options.labels, .judged = false};
    if (options.profile) how.api_version = std::min(how.api_version, options.profile->api_version);
    auto instance = vulkan::Instance::create(how);
    if (!instance) return tl::unexpected(sentence(instance.error()));
    if (options.validate && !(*instance)->validates()) log_line(vulkan::kNoValidation);
    const auto info = (*instance)->find_or_default(options.device);
    if (!info) return tl::unexpected(sentence(info.error()));
    vulkan::Mask mask{options.without, options.profile};
    // A layer that is older than the extension would take its use for mistakes.
    if ((*instance)->validates() && (*instance)->validation_version() < VK_MAKE_API_VERSION(0, 1, 3, 273))
        mask.names.emplace_back(vk::kLocalRead);
    auto device = vk::Device::create(*info, std::move(mask));
    if (!device) return tl::unexpected(info->name + ": " + sentence(device.error()));
    if ((*instance)->has_names()) (*device)->use_names();
    auto renderer = std::make_unique<VulkanRenderer>(std::move(*instance), std::move(*device), options);
    if (!renderer->complete()) return tl::unexpected(std::string("the device has no memory left"));
    return renderer;
}

std::string add_debug_words(HostOptions& options, std::string_view words) {
    // The table of docs/host.md.
    static constexpr std::pair<std::string_view, bool HostOptions::*> kWords[] = {
        {"sync", &HostOptions::sync}, {"nocache", &HostOptions::no_cache}, {"labels", &HostOptions::labels}};
    while (!words.empty()) {
        const std::string_view word = words.substr(0, words.find(','));
        words.remove_prefix(std::min(words.size(), word.size() + 1));
        const auto at = std::ranges::find(kWords, word, [](const auto& row) { return row.first; });
        if (at != std::end(kWords))
            options.*at->second = true;
        else if (!word.empty())
            return std::string(word);
    }
    return {};
}

}  // namespace tgsi2spv::host
